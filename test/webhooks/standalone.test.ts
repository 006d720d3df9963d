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

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'src/webhooks/index.ts');
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  typeRoots: [join(root, 'node_modules/@types')],
};
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
  /** Those of each file, as the compiler writes them. */
  const declarations = () => join(folder, 'types');
  beforeAll(() => {
    const program = ts.createProgram([source], {
      ...options,
      lib: ['lib.es2023.d.ts'],
      types: ['node'],
      declaration: true,
      emitDeclarationOnly: true,
      noCheck: true,
      stripInternal: true,
      outDir: declarations(),
      rootDir: join(root, 'src'),
    });
    expect(program.emit().diagnostics).toEqual([]);
  }, 60_000);

  const consumer = `
    import { createWebhookHandler, verifyWebhook, type MarketEvent } from './types/webhooks/index.js';
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
      const program = ts.createProgram([file], { ...options, lib, types, noEmit: true });
      // Ours are checked, and not those of others.
      const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
      expect(own.length).toBeGreaterThan(1);
      const faults = [
        ...program.getOptionsDiagnostics(),
        ...program.getGlobalDiagnostics(),
        ...own.flatMap((each) => program.getSyntacticDiagnostics(each)),
        ...own.flatMap((each) => program.getSemanticDiagnostics(each)),
      ];
      expect(
        faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
      ).toEqual([]);
    },
    60_000,
  );
});
