/** What a reader copies passes the type checker: the snippets of the pages and of the comments, and the examples. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { programAsChecked, typeErrors, type Checked } from './compile.js';
import { examplePrograms } from './doc-comments.js';
import { pages, root } from './pages.js';
import { programsOf } from './programs.js';

const programs = [...pages.flatMap(programsOf), ...examplePrograms()];

/** Those that sell or handle events, which a partner writes in either language. */
const durable = programs.filter(
  ({ language, parts }) =>
    language === 'js' && parts.some(({ code }) => code.includes('market-partner-sdk/durable')),
);
const strict = durable.map((program) => ({ ...program, language: 'ts' as const }));

/** Each call of them is checked against the source's types, plain JavaScript as it is. */
const examples: Checked[] = [
  ...filesOf('examples', '.mjs').map((path) => ({ language: 'js' as const, name: path, path })),
  ...filesOf('examples/go-live', '.ts').map((path) => ({
    language: 'ts' as const,
    name: path,
    path,
  })),
];

const wrong = (['ts', 'js'] as const).map((language) => ({
  language,
  name: `wrong ${language}`,
  path: `docs/wrong.${language}`,
  text: "import { MarketClient } from 'market-partner-sdk';\nnew MarketClient().orders.place();",
}));

it('all of it compiles, and what calls a method that there is not does not', () => {
  expect(durable.length).toBeGreaterThan(4);
  expect(examples.map(({ path }) => path)).toContain('examples/go-live/postgres.ts');
  const checked = [...programs, ...strict].map(programAsChecked);
  expect(typeErrors([...checked, ...examples, ...wrong])).toEqual(
    wrong.map(({ name }) => expect.stringMatching(`^${name} \\+1: TS2339 `) as unknown),
  );
}, 120_000);

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith(ending))
    .map((file) => `${folder}/${file}`);
}
