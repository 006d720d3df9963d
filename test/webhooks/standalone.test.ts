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

/** Prints which public built-ins are loaded by the module, and which by its first use. */
const LIST_LOADED = `
  const extension = process.argv[2];
  await import('./empty.' + extension);
  const loaded = () => process.moduleLoadList.filter((name) => /^NativeModule (?!internal\\/)/.test(name));
  const before = loaded();
  const { signWebhook } = await import('./webhooks.' + extension);
  const afterLoading = loaded();
  signWebhook('{}', 'whsec_public');
  const added = (to, from) => to.filter((name) => !from.includes(name)).map((name) => name.split(' ')[1]);
  console.log(JSON.stringify({ whenLoaded: added(afterLoading, before), whenUsed: added(loaded(), afterLoading) }));
`;

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
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the built ./webhooks', () => {
  it('imports nothing but built-ins of node, by their node: names', async () => {
    const files = (await readdir(folder)).filter((name) => /\.c?js$/.test(name));
    expect(files.sort()).toEqual(['webhooks.cjs', 'webhooks.js']);
    for (const file of files) {
      const text = await readFile(join(folder, file), 'utf8');
      const imported = [...text.matchAll(/(?:\bfrom|\bimport|\brequire\()\s*["']([^"']+)["']/g)];
      for (const [, specifier = ''] of imported) {
        expect(specifier).toMatch(/^node:/);
        expect(builtinModules).toContain(specifier.slice('node:'.length));
      }
    }
  });

  // What loading takes in time is the bench's to tell; node:crypto would be two thirds of it.
  it.each(['js', 'cjs'])(
    'loads no built-in of node before it is used, as .%s',
    async (extension) => {
      await writeFile(join(folder, `empty.${extension}`), '');
      await writeFile(join(folder, 'loads.js'), LIST_LOADED);
      const { stdout } = await run(process.execPath, [join(folder, 'loads.js'), extension]);
      expect(JSON.parse(stdout)).toEqual({
        whenLoaded: [],
        whenUsed: expect.arrayContaining(['crypto']),
      });
    },
  );
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
