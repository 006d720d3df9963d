import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

const folder = new URL('./testing/conformance/', import.meta.url);

/** A rule of the specification: its part, its words, and the file that has the test of that title. */
export interface Rule {
  readonly part: string;
  readonly words: string;
  readonly file: string;
}

/** The rules that tests quote: the title of each is `part: "words"`. */
export function rulesInTests(): Rule[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .flatMap((file) =>
      titlesOf(readFileSync(new URL(file, folder), 'utf8')).flatMap((title) => {
        const [, part, words] = /^([\d.]+): "(.*)"$/s.exec(title) ?? [];
        return part === undefined || words === undefined ? [] : [{ part, words, file }];
      }),
    );
}

/** The rules in the table of a Markdown document. */
export function rulesInTable(markdown: string): Rule[] {
  const row = /^\| ([\d.]+) +\| (.*?) +\| `([\w-]+)` +\|$/gm;
  return [...markdown.matchAll(row)].map(([, part = '', words = '', name = '']) => ({
    part,
    words: words.replace(/\\([<*|])/g, '$1'),
    file: `${name}.test.ts`,
  }));
}

/**
 * The document with the rules of the tests in its table. A rule that is there keeps its place, so that
 * the table has the order of the specification; a new rule follows the others of its part.
 */
export function withRules(markdown: string, rules: readonly Rule[]): string {
  const rows = new Set(rules.map(rowFor));
  const kept = rulesInTable(markdown).filter((rule) => rows.delete(rowFor(rule)));
  const added = rules.filter((rule) => rows.delete(rowFor(rule)));
  const table = [...kept, ...added].toSorted((a, b) => Number(a.part) - Number(b.part)).map(rowFor);
  const [heading = '', delimiter = ''] = markdown.match(/^\|.*$/gm) ?? [];
  return markdown.replace(/^\|[^]*\|$/m, () => [heading, delimiter, ...table].join('\n'));
}

/** The row of the table for a rule. */
function rowFor({ part, words, file }: Rule): string {
  const name = file.replace('.test.ts', '');
  return `| ${part} | ${words.replace(/[<*|]/g, '\\$&')} | \`${name}\` |`;
}

/** Titles of tests that run: `it('…')`, and no `it.skip` or `it.todo`. */
function titlesOf(source: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'it'
    ) {
      const [title] = node.arguments;
      if (title !== undefined && ts.isStringLiteralLike(title)) titles.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest));
  return titles;
}
