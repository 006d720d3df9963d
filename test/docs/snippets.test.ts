import { beforeAll, describe, expect, it } from 'vitest';
import { typeErrors } from './compile.js';
import { canRun } from './durable-on-sqlite.js';
import { pages } from './pages.js';
import { programsOf } from './programs.js';
import { runProgram } from './run.js';

const programs = pages.flatMap(programsOf);
const run = programs.filter(({ notRun }) => notRun === undefined).filter(canRun);

describe('the snippets of the pages', () => {
  let errors: readonly string[] = [];
  beforeAll(() => {
    errors = typeErrors(programs);
  }, 120_000);

  it.each(programs)('$name compiles', ({ name }) => {
    expect(errors.filter((error) => error.startsWith(`${name} `))).toEqual([]);
  });

  it('compile as strict TypeScript where they sell or handle events', () => {
    const durable = programs.filter(({ parts }) =>
      parts.some(({ code }) => code.includes('market-partner-sdk/durable')),
    );
    expect(durable.length).toBeGreaterThan(5);
    expect(typeErrors(durable.map((program) => ({ ...program, language: 'ts' })))).toEqual([]);
  }, 120_000);

  it.each(run)('$name runs, and prints what the page says', async (program) => {
    const printed = await runProgram(program);
    for (const [index, { output }] of program.parts.entries()) {
      if (output !== undefined) expect(printed[index]?.join('\n')).toBe(output);
    }
  });

  it('are run, but for those of a server, which test/examples/go-live.test.ts runs', () => {
    expect(programs.flatMap(({ notRun }) => notRun ?? [])).toEqual(['server']);
  });
});
