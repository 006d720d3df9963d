/**
 * A number to watch: colons between two clauses, in the pages and in the sentences of the source. One that stands for
 * "because", "so" or "but" leaves it to the reader which. Before a list, code or a link it is not counted.
 *
 *   node test/docs/count-colons.mjs [folder of a checkout]
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [root = '.'] = process.argv.slice(2);
const guides = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const pages = ['README.md', 'llms.txt', ...guides.map((name) => `docs/${name}`)];
const sources = readdirSync(join(root, 'src'), { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name}`);

const read = (path) => readFileSync(join(root, path), 'utf8');
const rows = [
  ...pages.map((path) => [path, clausesOfPage(read(path))]),
  ['messages', sources.reduce((sum, path) => sum + clausesOfMessages(read(path)), 0)],
];
for (const [name, count] of rows) console.log(String(count).padStart(5), name);
console.log(String(rows.reduce((sum, [, count]) => sum + count, 0)).padStart(5), 'in all');

function clausesOfPage(text) {
  const prose = text
    .replace(/^```[^]*?^```/gm, '')
    // "- `name`: what it is" and "- **Name**: ..." define a term.
    .replace(/^ *(?:-|\d+\.) (?:`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]*\))[^.:]{0,40}:/gm, '')
    .replace(/`[^`]*`/g, '`')
    .replace(/\]\([^)]*\)/g, ']');
  return countColons(prose);
}

/** String and template literals of four words or more: what a message or a log line says. */
function clausesOfMessages(text) {
  const code = text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, '').replace(/\$\{[^{}]*\}/g, 'X');
  const literals = code.match(/'(?:[^'\\\n]|\\.)*'|`[^`]*`/g) ?? [];
  const sentences = literals.filter((literal) => literal.split(/\s+/).length >= 4);
  return countColons(sentences.join('\n'));
}

function countColons(prose) {
  return (prose.match(/[\w)"\]`]:\s(?=[a-zA-Z"][\w']*[ ,.])/g) ?? []).length;
}
