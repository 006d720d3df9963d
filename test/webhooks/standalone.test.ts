import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'tsup';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src/webhooks/index.ts', import.meta.url));
const run = promisify(execFile);

/** Its own time and not the clock's: the machine may be busy with something else. */
const PRINT_TIME =
  'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhooks-'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await build({
    config: false,
    entry: { webhooks: source },
    outDir: folder,
    format: ['esm', 'cjs'],
    platform: 'node',
    target: 'node20',
    removeNodeProtocol: false,
    treeshake: true,
    dts: true,
    silent: true,
  });
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the built ./webhooks', () => {
  it('imports nothing but built-ins of node, by their node: names', async () => {
    const files = (await readdir(folder)).filter((name) => /\.c?js$/.test(name));
    expect(files.sort()).toEqual(['webhooks.cjs', 'webhooks.js']);
    for (const file of files) {
      const text = await readFile(join(folder, file), 'utf8');
      const imported = [...text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*["']([^"']+)["']/g)];
      expect(imported.length).toBeGreaterThan(0);
      for (const [, specifier = ''] of imported) {
        expect(specifier).toMatch(/^node:/);
        expect(builtinModules).toContain(specifier.slice('node:'.length));
      }
    }
  });

  it.each(['js', 'cjs'])(
    'costs a process under 10 ms of its time beside node:crypto when it is loaded as .%s',
    async (extension) => {
      const load = extension === 'js' ? "import './webhooks.js';" : "require('./webhooks.cjs');";
      await writeFile(join(folder, `load.${extension}`), load + PRINT_TIME);
      // The figure over an empty process is the bench's; this holds what is our own to hold.
      const crypto = extension === 'js' ? "import 'node:crypto';" : "require('node:crypto');";
      await writeFile(join(folder, `crypto.${extension}`), crypto + PRINT_TIME);
      const loaded: number[] = [];
      const bare: number[] = [];
      do {
        loaded.push(await lifeOf(`load.${extension}`));
        bare.push(await lifeOf(`crypto.${extension}`));
      } while (loaded.length < 20 && (loaded.length < 3 || costOf(loaded, bare) >= 10));
      expect(costOf(loaded, bare)).toBeLessThan(10);
    },
    60_000,
  );

  function costOf(loaded: number[], bare: number[]): number {
    return Math.min(...loaded) - Math.min(...bare);
  }

  async function lifeOf(file: string): Promise<number> {
    const { stdout } = await run(process.execPath, [join(folder, file)]);
    return Number(stdout);
  }
});

describe('the types of ./webhooks', () => {
  const consumer = `
    import { createWebhookHandler, verifyWebhook, type MarketEvent } from './webhooks.js';
    const event: MarketEvent = verifyWebhook(new Uint8Array(), { 'x-market-signature': 'a' }, 'b');
    if (event.type === 'order.settled') { const cents: number = event.data.order.sale_price_cents; void cents; }
    const handler = createWebhookHandler({
      secret: ['a', 'b'],
      on: { 'order.settled': (settled) => settled.data.order.domain },
      onUnknown: (unknown) => unknown.data,
      deduplicate: new Set<string>(),
    });
  `;

  it.each<[string, string[], string[], string]>([
    ['without the types of node or of a browser', ['lib.es2022.d.ts'], [], 'void handler;'],
    [
      'with the types of a browser',
      ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      [],
      "const answer: Promise<Response> = handler.fetch(new Request('https://a.example')); void answer;",
    ],
    [
      'with the types of node',
      ['lib.es2022.d.ts'],
      ['node'],
      `import { createServer } from 'node:http';
       import { createServer as createServer2 } from 'node:http2';
       createServer(handler.node);
       createServer2((request, response) => void handler.node(request, response));
       verifyWebhook(Buffer.from(''), new Headers(), 'a');
       const answer: Promise<Response> = handler.fetch(new Request('https://a.example')); void answer;`,
    ],
  ])(
    'compile %s',
    async (_with, lib, types, use) => {
      const file = join(folder, 'consumer.ts');
      await writeFile(file, consumer + use);
      const program = ts.createProgram([file], {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        strict: true,
        lib,
        types,
        typeRoots: [fileURLToPath(new URL('../../node_modules/@types', import.meta.url))],
        noEmit: true,
        exactOptionalPropertyTypes: true,
        // The declarations themselves are checked, and not those of others.
        skipLibCheck: types.length > 0,
      });
      const faults = ts.getPreEmitDiagnostics(program);
      expect(
        faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
      ).toEqual([]);
    },
    60_000,
  );
});
