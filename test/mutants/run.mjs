/**
 * `npm run mutants [-- text]`: changes the sources of targets.mjs one small step at a time and counts
 * how many changes no test notices. The text selects sources by their path.
 */

import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './bundle.mjs';
import { mutantsOf } from './mutate.mjs';
import { TestRunner } from './run-tests.mjs';
import { survivors as explained } from './survivors.mjs';
import { mocked, targets } from './targets.mjs';

const selected = process.argv[2] ?? '';
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const wantedShare = 0.95;
let counted = 0;
const survivors = [];
const lanes = Array.from({ length: Math.min(2, availableParallelism()) }, () => new TestRunner());

for (const target of targets) await runTarget(target);
for (const lane of lanes) lane.close();
// A misspelled path would be a success of no mutants.
if (counted === 0) throw new Error(`no source of targets.mjs has "${selected}" in its path`);
report();

async function runTarget({ name, sources, tests }) {
  const chosen = sources.filter((source) => source.includes(selected));
  if (chosen.length === 0) return;
  const startedAt = performance.now();
  const { failure } = await lanes[0].run(tests, new Map());
  const hangsAfterMs = Math.max(20_000, 4 * (performance.now() - startedAt));
  for (const lane of lanes) lane.hangsAfterMs = hangsAfterMs;
  if (failure !== null) {
    throw new Error(`${name}: the tests fail without a mutant: ${JSON.stringify(failure)}`);
  }
  for (const source of chosen) await runSource(source, tests);
}

async function runSource(source, tests) {
  const text = await readFile(join(root, source), 'utf8');
  const queue = mutantsOf(text).map((mutant) => ({ source, text, tests, ...mutant }));
  const total = queue.length;
  const before = survivors.length;
  await Promise.all(
    lanes.map(async (lane) => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        if (!(await isKilled(lane, mutant))) survivors.push(mutant);
      }
    }),
  );
  counted += total;
  console.log(`${source}: ${total - survivors.length + before} of ${total} mutants killed`);
  for (const mutant of survivors.slice(before)) tell(mutant);
}

async function isKilled(lane, mutant) {
  const { source, text, tests, start, end, replacement } = mutant;
  const mutated = text.slice(0, start) + replacement + text.slice(end);
  const { failure } = await lane.run(tests, new Map([[source, mutated]]));
  if (failure !== null) return true;
  return mocked.includes(source) && !(await passesVitest(mutant, mutated));
}

/** Some tests mock modules, which only vitest can do. */
async function passesVitest({ source, tests, line }, mutated) {
  const file = join(root, `node_modules/.mutants/${process.pid}-${line}-${Math.random()}.ts`);
  await writeFile(file, mutated);
  const config = join(root, 'test/mutants/vitest.config.ts');
  const env = { ...process.env, MUTATED_SOURCE: join(root, source), MUTATED_TEXT: file };
  try {
    const args = [vitest, 'run', '--bail=1', '--config', config, ...tests];
    await promisify(execFile)(process.execPath, args, { cwd: root, env, timeout: 120_000 });
    return true;
  } catch {
    return false;
  } finally {
    await rm(file, { force: true });
  }
}

function reasonOf({ source, kind, original }) {
  return explained[`${source} ${kind}: ${oneLine(original)}`];
}

function tell(mutant) {
  const { line, kind, original, replacement } = mutant;
  console.log(
    `  survived at line ${line}, ${kind}: ${oneLine(original)} -> ${oneLine(replacement)}`,
  );
  console.log(`    ${reasonOf(mutant) ?? 'not explained in survivors.mjs'}`);
}

/** Survivors with a reason cannot be killed: they count in the first share, not in the second. */
function report() {
  const unexplained = survivors.filter((mutant) => reasonOf(mutant) === undefined).length;
  const killed = counted - survivors.length;
  const share = (of) => `${((100 * killed) / of).toFixed(1)} %`;
  const killable = killed + unexplained;
  console.log(`${killed} of ${counted} mutants killed (${share(counted)})`);
  console.log(
    `without those that survivors.mjs explains: ${killed} of ${killable} (${share(killable)})`,
  );
  if (killed / killable <= wantedShare) process.exitCode = 1;
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').slice(0, 80);
}
