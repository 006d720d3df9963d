/**
 * Prints how many files and lines of code `src` has: lines with a token, neither blank nor comment alone.
 *
 *   node test/packages/count-lines.mjs --max 36100 --max src/testing/console=3100
 *
 * `--max` fails if there are more, of all or of a folder. A commit that raises it says what a user gets for it.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const { max = [] } = parseArgs({ options: { max: { type: 'string', multiple: true } } }).values;
const limits = max.map((limit) => {
  const [, folder, lines] = /^(?:(src\/[^=]+)=)?(\d+)$/.exec(limit) ?? [];
  if (lines === undefined) throw new Error(`--max ${limit}: pass LINES or src/FOLDER=LINES`);
  return { folder: folder ?? 'src', most: Number(lines) };
});

const counts = execFileSync('git', ['ls-files', 'src'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.tsx?$/.test(file) && existsSync(file))
  .map((file) => ({ file, lines: countLines(readFileSync(file, 'utf8'), file) }));

report('src');
for (const { folder, most } of limits) {
  const total = folder === 'src' ? countOf(folder).total : report(folder);
  if (total === 0) throw new Error(`${folder} has no code: is its name right?`);
  if (total <= most) continue;
  console.error(`${folder} has ${total} lines of code, ${total - most} more than --max ${most}.`);
  process.exitCode = 1;
}

function report(folder) {
  const { files, total } = countOf(folder);
  console.log(`${folder}: ${files} files, ${total} lines of code`);
  return total;
}

function countOf(folder) {
  const own = counts.filter(({ file }) => file.startsWith(`${folder}/`));
  return { files: own.length, total: own.reduce((sum, { lines }) => sum + lines, 0) };
}

function countLines(text, file) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const lines = new Set();
  const visit = (node) => {
    const parts = node.getChildren(source).filter((part) => !ts.isJSDoc(part));
    for (const part of parts) visit(part);
    if (parts.length > 0 || node.getWidth(source) === 0) return;
    // A template may have several.
    const last = lineOf(node.getEnd());
    for (let line = lineOf(node.getStart(source)); line <= last; line += 1) lines.add(line);
  };
  visit(source);
  return lines.size;
}
