/** `npm run sabotage`: plants one fault at a time; the campaign must find it by the check that is named. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './bundle.mjs';
import { TestRunner } from './run-tests.mjs';
import { sabotages } from './sabotages.mjs';

process.env.SCHEDULES = '500';
const runner = new TestRunner();
let missed = 0;
for (const sabotage of sabotages) {
  const found = await runner.run([sabotage.test], await sabotagedSources(sabotage));
  const { name, message } = found.failure ?? { name: 'nothing fails', message: '' };
  const caught = sabotage.caughtBy.test(`${name} ${message}`);
  if (!caught) missed += 1;
  console.log(`${caught ? 'caught' : 'MISSED'}  ${sabotage.name}`);
  console.log(`        by ${name}: ${message.split('\n').at(-1).slice(0, 160)}`);
}
runner.close();
console.log(`${sabotages.length - missed} of ${sabotages.length} sabotages caught`);
if (missed > 0) process.exitCode = 1;

async function sabotagedSources({ source, from, to, alsoIn, alsoFrom, alsoTo }) {
  const patches = [[source, from, to]];
  if (alsoIn !== undefined) patches.push([alsoIn, alsoFrom, alsoTo]);
  const replaced = new Map();
  for (const [path, before, after] of patches) {
    const text = await readFile(join(root, path), 'utf8');
    if (text.split(before).length !== 2) throw new Error(`${path} does not hold once: ${before}`);
    replaced.set(
      path,
      text.replace(before, () => after),
    );
  }
  return replaced;
}
