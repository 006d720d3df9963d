// The proof of the command `rehearse`: each right program is green in every run, each mistake is named by its
// case. Prints the table of programs by cases.
//
//   npm run build:quick && node test/command-line/rehearse/soak.mjs --runs 20
//
// `--programs resume,new-key` takes only these, `--at-once 2` so many at a time.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from '../../support/free-port.mjs';
import { dropSchema } from './databases.mjs';
import { rehearsalOf, rightPrograms, wrongPrograms } from './programs.mjs';

const bin = fileURLToPath(new URL('../../../dist/bin.cjs', import.meta.url));
/** A run of a right program, which the issue allows three minutes. */
const longestMs = 180_000;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1' },
    programs: { type: 'string' },
    'at-once': { type: 'string', default: '1' },
  },
});
const runs = Number(values.runs);
const wanted = values.programs?.split(',');
const isWanted = ({ name }) => wanted?.includes(name) ?? true;

const jobs = [
  ...rightPrograms
    .filter(isWanted)
    .flatMap((program) => Array.from({ length: runs }, () => program)),
  ...wrongPrograms.filter(isWanted),
];
const rows = [];
await Promise.all(
  Array.from({ length: Number(values['at-once']) }, async () => {
    for (let program = jobs.shift(); program !== undefined; program = jobs.shift()) {
      const row = await rehearse(program, rows.length + 1);
      rows.push(row);
      console.log(row.line);
    }
  }),
);
printTable();
process.exitCode = rows.every(({ isRight }) => isRight) ? 0 : 1;

async function rehearse(program, seed) {
  const folder = await mkdtemp(join(tmpdir(), 'rehearsal-'));
  const schema = `rehearsal_${process.pid}_${seed}`;
  // A wrong program is not waited for as long as a right one: what it lost it never finds.
  const patience = program.rule === undefined ? '75' : '40';
  const options = ['--seed', String(seed), '--patience', patience];
  const args = rehearsalOf(program, await freePort(), folder, options);
  const startedAt = Date.now();
  const env = { ...process.env, REHEARSAL_SCHEMA: schema };
  const { code, stderr } = await new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { env, maxBuffer: 1e8 }, (error, _out, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stderr }),
    );
  });
  const ms = Date.now() - startedAt;
  const { results } = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'));
  const bad = results.filter(({ status }) => status === 'failed' || status === 'not exercised');
  if (program.name === 'outbox-postgres') await dropSchema(schema);
  const isRight =
    program.rule === undefined
      ? code === 0 && bad.length === 0 && ms < longestMs
      : code === 2 && bad.some((each) => isNamedBy(program, each));
  if (isRight) await rm(folder, { recursive: true });
  const told = bad.map(({ name, status, findings }) => {
    const rules = [...new Set(findings.map(({ rule }) => rule))];
    return `${name} (${rules.join(', ') || status})`;
  });
  const line = `${isRight ? 'as expected' : `WRONG, see ${folder}`}  ${program.name}  exit ${code}  ${Math.round(ms / 1000)} s  ${told.join('; ') || 'all held'}${code === 1 ? ` ${stderr}` : ''}`;
  return { program, isRight, ms, results, bad, line };
}

function isNamedBy({ brokenBy, rule }, { name, findings }) {
  return name === brokenBy && findings.some((found) => found.rule === rule);
}

function printTable() {
  const cases = [...new Set(rows.flatMap(({ results }) => results.map(({ name }) => name)))];
  const names = [...new Set(rows.map(({ program }) => program.name))];
  console.log(`\n| case | ${names.join(' | ')} |\n| --- |${' --- |'.repeat(names.length)}`);
  for (const each of cases) {
    const cells = names.map((name) => {
      const of = rows.filter(({ program }) => program.name === name);
      const failed = of.filter(({ bad }) => bad.some((result) => result.name === each)).length;
      const isNamed = of[0].program.brokenBy === each ? '**' : '';
      return failed === 0
        ? ''
        : `${isNamed}${of.length === 1 ? 'x' : `${failed}/${of.length}`}${isNamed}`;
    });
    console.log(`| ${each} | ${cells.join(' | ')} |`);
  }
  const seconds = names.map((name) => {
    const times = rows.filter(({ program }) => program.name === name).map(({ ms }) => ms);
    return Math.round(Math.max(...times) / 1000);
  });
  console.log(`| seconds, the slowest | ${seconds.join(' | ')} |`);
  const right = rows.filter(({ program }) => program.rule === undefined);
  const wrong = rows.filter(({ program }) => program.rule !== undefined);
  const count = (list) => `${list.filter(({ isRight }) => isRight).length} of ${list.length}`;
  console.log(
    `\nright programs green: ${count(right)}; mistakes named by their case: ${count(wrong)}`,
  );
}
