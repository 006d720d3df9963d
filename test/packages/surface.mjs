// The public surface as text: every exported declaration of each entry point, without comments and
// bodies, sorted by name. It is committed, so that a change of it shows in review.
//
//   node test/packages/surface.mjs           compares dist with test/packages/surface.txt
//   node test/packages/surface.mjs --write   writes that file; part of `npm run accept`

import { readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { entryPoints } from '../../src/entry-points.js';
import { root } from './packed-project.mjs';

const file = join(root, 'test/packages/surface.txt');
const declarations = Object.fromEntries(
  Object.keys(entryPoints).map((name) => [
    posix.join('market-partner-sdk', name).replace(/\/index$/, ''),
    `dist/${name}.d.ts`,
  ]),
);

export function checkSurface() {
  const surface = report();
  let committed = '';
  try {
    committed = readFileSync(file, 'utf8');
  } catch {
    // The first run has nothing to compare with.
  }
  if (surface !== committed) {
    const lines = new Set(committed.split('\n'));
    const added = surface.split('\n').filter((line) => !lines.has(line));
    const now = new Set(surface.split('\n'));
    const removed = committed.split('\n').filter((line) => !now.has(line));
    throw new Error(
      [
        'the public surface changed; if it should: npm run accept',
        ...removed.map((line) => `- ${line}`),
        ...added.map((line) => `+ ${line}`),
      ].join('\n'),
    );
  }
  return `${surface.split('\n').length} lines`;
}

function report() {
  const program = ts.createProgram(
    Object.values(declarations).map((path) => join(root, path)),
    {
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
      types: [],
      skipLibCheck: true,
    },
  );
  const checker = program.getTypeChecker();
  const printer = ts.createPrinter({ removeComments: true });
  const parts = Object.entries(declarations).map(([name, path]) => {
    const source = program.getSourceFile(join(root, path));
    const module = checker.getSymbolAtLocation(source);
    const exported = checker
      .getExportsOfModule(module)
      .map((symbol) => {
        const target =
          symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
        const text = target.declarations
          .map((declaration) =>
            printer.printNode(
              ts.EmitHint.Unspecified,
              declarationOf(declaration),
              declaration.getSourceFile(),
            ),
          )
          .join('\n');
        return { name: symbol.name, text: text.replaceAll(/^export declare |^declare /gm, '') };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return [`# ${name}`, ...exported.map(({ name, text }) => `## ${name}\n${text}`)].join('\n\n');
  });
  return `${parts.join('\n\n')}\n`;
}

/** The whole statement of a variable, not only its name. */
function declarationOf(declaration) {
  return ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  if (process.argv.includes('--write')) writeFileSync(file, report());
  else console.log(checkSurface());
}
