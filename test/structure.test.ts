import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
  .map((path) => path.replaceAll('\\', '/'));

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}
const imports = files.flatMap(importsOf);

describe('the files of src', () => {
  it('import each other in no cycle, types included', () => {
    expect(cycle(imports.map(({ from, to }) => [from, to]))).toBeUndefined();
  });

  it('are in folders that import each other in no cycle', () => {
    const arrows = imports.map(({ from, to }) => [dirname(from), dirname(to)] as const);
    // A folder and its subfolders are one subject, which may import in both directions.
    expect(cycle(arrows.filter(([from, to]) => !contains(from, to) && !contains(to, from)))).toBe(
      undefined,
    );
  });

  it.each<[folder: string, mayImport: RegExp, byTypeOnly?: RegExp]>([
    ['core', /^core\//],
    // Not `core/schema/`: a receiver loads no zod.
    ['webhooks', /^(webhooks\/|core\/(?!schema\/))/],
    ['client', /^(client|core)\//, /^webhooks\/events\./],
    [
      'client/protocol',
      /^(client\/(protocol|errors)\/|core\/(errors\/|(json|parse-url|signature-mistakes\/line-mistakes)\.))/,
    ],
    [
      'testing',
      /^(testing|webhooks|core)\/|^client\/(assumptions|display\/minor-units|model\/scope|profile\/[\w-]+|record-fields)\.|^\.\.\/docs\/openapi\.json$/,
    ],
    // The page runs in a browser: of the emulator it has only the types of its JSON.
    [
      'testing/console',
      /^(testing\/console\/|client\/display\/minor-units\.)/,
      /^testing\/control\//,
    ],
    ['durable', /^(durable|webhooks|client\/sale|core)\//, /./],
    // What an operator does with queues comes by one door.
    ['command-line', /^(?!durable\/(?!operator\.))/],
  ])('%s imports only what it may', (folder, mayImport, byTypeOnly = /^$/) => {
    const forbidden = imports
      .filter(({ from }) => from.startsWith(`${folder}/`) && !hasOwnRule(from, folder))
      .filter(({ to, isType }) => !mayImport.test(to) && !(isType && byTypeOnly.test(to)));
    expect(forbidden.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });
});

/** Folders that may import more than the folder around them. */
function hasOwnRule(path: string, folder: string): boolean {
  return folder !== 'testing/console' && path.startsWith('testing/console/');
}

/** The relative imports and re-exports of a file; `import()` in types counts too. */
function importsOf(from: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, isType: boolean) => {
    if (specifier === undefined || !ts.isStringLiteral(specifier)) return;
    if (!specifier.text.startsWith('.')) return;
    const path = posix.join(dirname(from), specifier.text);
    const to = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')].find((each) =>
      files.includes(each),
    );
    found.push({ from, to: to ?? path, isType });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node));
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  const text = readFileSync(join(source, from), 'utf8');
  visit(ts.createSourceFile(from, text, ts.ScriptTarget.Latest));
  return found;
}

function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  const { phaseModifier, name, namedBindings } = importClause;
  if (phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  if (name !== undefined || namedBindings === undefined) return false;
  return (
    ts.isNamedImports(namedBindings) && namedBindings.elements.every((each) => each.isTypeOnly)
  );
}

function contains(folder: string, other: string): boolean {
  return folder === '.' || other === folder || other.startsWith(`${folder}/`);
}

/** The first cycle as `a -> b -> a`, found depth first. */
function cycle(arrows: readonly (readonly [from: string, to: string])[]): string | undefined {
  const targets = new Map<string, Set<string>>();
  for (const [from, to] of arrows) targets.set(from, (targets.get(from) ?? new Set()).add(to));
  const done = new Set<string>();
  const search = (node: string, path: readonly string[]): string | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(' -> ');
    if (done.has(node)) return undefined;
    for (const target of targets.get(node) ?? []) {
      const found = search(target, [...path, node]);
      if (found !== undefined) return found;
    }
    done.add(node);
    return undefined;
  };
  for (const node of targets.keys()) {
    const found = search(node, []);
    if (found !== undefined) return found;
  }
  return undefined;
}
