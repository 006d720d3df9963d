import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOrderOutbox, sqliteEngine } from 'market-partner-sdk/durable';
import { expect, it, onTestFinished, vi } from 'vitest';
import { findBetterSqlite } from './support/find-sqlite.js';
import { noCallbacks } from './support/no-callbacks.js';
import { OutboxWorld } from './support/outbox-world.js';

const open = findBetterSqlite();

/** What the kernel tells of this mount, while the test runs. */
function mount(point: string): void {
  const read = fs.readFileSync;
  const line = `63 43 254:0 /market.db ${point} rw,relatime - ext4 /dev/vda rw\n`;
  const spy = vi
    .spyOn(fs, 'readFileSync')
    .mockImplementation(((path: string, ...rest: []) =>
      path === '/proc/self/mountinfo' ? line : read(path, ...rest)) as typeof read);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
}

/** The warnings of an outbox that is started twice on a file. */
async function warningsOn(file: string): Promise<readonly string[]> {
  const database = open!(file);
  const world = await OutboxWorld.start();
  const warnings: string[] = [];
  const outbox = createOrderOutbox({
    ...noCallbacks,
    market: world.client(),
    engine: sqliteEngine(database),
    logger: { warn: (message) => void warnings.push(message) },
  });
  for (let start = 1; start <= 2; start += 1) {
    await outbox.start();
    await outbox.stop({ graceMs: 0 });
  }
  database.close();
  await world.stop();
  return warnings;
}

function newFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'market mount-')));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

it.skipIf(open === undefined)('a file that is mounted alone is warned about, once', async () => {
  const file = join(newFolder(), 'market.db');
  // As the kernel writes it.
  mount(file.replaceAll(' ', '\\040'));
  expect(await warningsOn(file)).toEqual([
    expect.stringContaining(`${file}-wal, beside the mount: if the container is removed`),
  ]);
});

it.skipIf(open === undefined)(
  'a file in a folder that is mounted is no reason to warn',
  async () => {
    const folder = newFolder();
    mount(folder.replaceAll(' ', '\\040'));
    expect(await warningsOn(join(folder, 'market.db'))).toEqual([]);
  },
);
