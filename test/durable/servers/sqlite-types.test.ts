import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { skipReason } from '../support/servers.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const repository = join(folder, '../../..');
const packages = ['better-sqlite3-types-7', 'better-sqlite3-types-9', '@types/node'];
const skipped = skipReason({
  'types of better-sqlite3 and Node (npm run test:engines installs them)': !packages.every((name) =>
    existsSync(join(folder, 'node_modules', name)),
  ),
});

/** A shop on the database `db`, in each way in which the guides store a payment with its intent. */
const shop = `
import { MarketClient } from 'market-partner-sdk';
import { createEventInbox, createOrderOutbox, sqliteEngine } from 'market-partner-sdk/durable';

const engine = sqliteEngine(db, { migrate: false });
const market = new MarketClient();
const intent = { key: 'payment-1', order: { domain: 'brew.example', expected_price: 1, currency: 'USD' } };
const insert = db.prepare('insert into payment values (?, ?)');
const outbox = createOrderOutbox({
  market,
  engine,
  onPlaced: (order, { key }, { commit }) =>
    commit((tx) => tx.prepare('update payment set order_id = ? where id = ?').run(order.public_id, key)),
  onRefused: () => undefined,
  onAttention: () => undefined,
});
createEventInbox({
  market,
  engine,
  startFrom: 'now',
  on: { 'order.settled': (_event, { commit }) => commit(() => insert.run('a', 1)) },
});
await outbox.add(intent, { write: () => insert.run('payment-1', 1) });
await outbox.add(intent, { write: (tx) => tx.prepare('insert into payment values (?)').run(null) });
await outbox.add(intent, { tx: db });
outbox.addSync(intent, { tx: db });
`;

const databases: Readonly<Record<string, string>> = {
  '@types/better-sqlite3 7': `import Database from 'better-sqlite3-types-7';\nconst db = new Database('market.db');`,
  '@types/better-sqlite3 9': `import Database from 'better-sqlite3-types-9';\nconst db = new Database('market.db');`,
  'node:sqlite': `import { DatabaseSync } from 'node:sqlite';\nconst db = new DatabaseSync('market.db');`,
};
const noDatabase = `import Database from 'better-sqlite3-types-9';\nconst db = new Database('market.db').prepare('select 1');`;

/** The compiler's errors in each program of a partner, under its strictest options. It reads the source once. */
function errorsOf(programs: readonly string[]): string[][] {
  const fileOf = (index: number) => join(folder, `shop-${index}.mts`);
  const sources = new Map(programs.map((source, index) => [fileOf(index), source]));
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: ts.ScriptTarget.ES2022,
    noEmit: true,
    skipLibCheck: true,
    esModuleInterop: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    typeRoots: [join(folder, 'node_modules/@types')],
    types: ['node'],
    paths: {
      'market-partner-sdk': [join(repository, 'src/index.ts')],
      'market-partner-sdk/durable': [join(repository, 'src/durable/index.ts')],
    },
  };
  const host = ts.createCompilerHost(options);
  const readDisk = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version, ...others) => {
    const source = sources.get(name);
    return source === undefined
      ? readDisk(name, version, ...others)
      : ts.createSourceFile(name, source, version);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return [...sources.keys()].map((file) => {
    const text = program.getSourceFile(file);
    if (text === undefined) throw new Error('The program was not read.');
    return [...program.getSyntacticDiagnostics(text), ...program.getSemanticDiagnostics(text)].map(
      ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
    );
  });
}

it.skipIf(skipped !== undefined)(
  'a shop on SQLite compiles under strict options with each database, and with nothing else',
  { timeout: 120_000 },
  () => {
    const programs = [...Object.values(databases), noDatabase].map((db) => `${db}\n${shop}`);
    const errors = errorsOf(programs);
    const [wrong = []] = errors.splice(-1);
    expect(
      Object.fromEntries(Object.keys(databases).map((name, index) => [name, errors[index]])),
    ).toEqual(Object.fromEntries(Object.keys(databases).map((name) => [name, []])));
    expect(wrong.length).toBeGreaterThan(0);
  },
);
