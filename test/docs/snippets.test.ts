import { describe, expect, it } from 'vitest';
import { canRun } from './durable-on-sqlite.js';
import { pages } from './pages.js';
import { programsOf } from './programs.js';
import { runProgram } from './run.js';

const programs = pages.flatMap(programsOf);
const run = programs.filter(({ notRun }) => notRun === undefined).filter(canRun);

describe('the snippets of the pages', () => {
  it.each(run)('$name runs, and prints what the page says', async (program) => {
    const printed = await runProgram(program);
    for (const [index, { output }] of program.parts.entries()) {
      if (output !== undefined) expect(printed[index]?.join('\n')).toBe(output);
    }
  });

  it('are run, but for those of a server, which test/examples runs', () => {
    const left = programs.filter(({ notRun }) => notRun !== undefined);
    expect(left.map(({ places }) => places[1])).toEqual([
      'llms.txt#stripe-express-postgresql',
      'llms.txt#nextjs-serverless',
      'docs/postgresql.md#the-engine',
    ]);
  });
});
