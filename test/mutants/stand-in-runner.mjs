/**
 * Stands in for vitest's `describe`, `it` and hooks, so that one process runs a bundle of tests and
 * stops at the first failure: vitest needs seconds for each start, and there are hundreds of mutants.
 */

import { expect, expectTypeOf, vi as vitest } from 'vitest';

export { expect, expectTypeOf };

const realNow = Date.now;
const setSystemTime = (now) => void (Date.now = () => Number(now));
const realVariables = new Map();

const vitestAlone = new Error('this test runs under vitest alone');

/** Mocked modules need vitest itself: where they decide, the mutant runs there a second time. */
export const vi = {
  fn: vitest.fn,
  spyOn: vitest.spyOn,
  restoreAllMocks: vitest.restoreAllMocks,
  resetModules: () => undefined,
  doMock: () => undefined,
  doUnmock: () => undefined,
  stubGlobal: () => {
    throw vitestAlone;
  },
  useFakeTimers: ({ now } = {}) => {
    if (now === undefined) throw vitestAlone;
    setSystemTime(now);
  },
  setSystemTime,
  useRealTimers: () => void (Date.now = realNow),
  stubEnv: (name, value) => {
    if (!realVariables.has(name)) realVariables.set(name, process.env[name]);
    process.env[name] = value;
  },
  unstubAllEnvs: () => {
    for (const [name, value] of realVariables) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    realVariables.clear();
  },
};

const newSuite = () => ({
  names: [],
  hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] },
});

const tests = [];
let suite = newSuite();
let finishers = [];

/** Each file of tests calls it first: its hooks are its own. */
export function startFile() {
  suite = newSuite();
}

/** Runs all tests that were declared. @returns the failure of the first that fails. */
export async function runTests() {
  const opened = new Set();
  for (const { title, names, hooks, run } of tests) {
    const name = [...names, title].join(' > ');
    finishers = [];
    try {
      for (const hook of hooks.beforeAll) if (!opened.has(hook)) (await opened.add(hook)) && hook();
      for (const hook of hooks.beforeEach) await hook();
      await run();
    } catch (error) {
      // So does a test that imports a source file by its address.
      if (error === vitestAlone || error?.code === 'ERR_UNKNOWN_FILE_EXTENSION') continue;
      return {
        name,
        message: String(error?.message ?? error).slice(0, 300) + firstDifference(error),
      };
    } finally {
      for (const hook of hooks.afterEach) await hook();
      for (const finisher of finishers.reverse()) await finisher();
    }
  }
  return undefined;
}

export const testCount = () => tests.length;

export function describe(title, ...rest) {
  const declare = rest.find((each) => typeof each === 'function');
  const outer = suite;
  const hooks = Object.fromEntries(
    Object.entries(outer.hooks).map(([kind, list]) => [kind, [...list]]),
  );
  suite = { names: [...outer.names, String(title)], hooks };
  declare();
  suite = outer;
}

export function it(title, ...rest) {
  const run = rest.find((each) => typeof each === 'function');
  tests.push({ title: String(title), ...suite, run });
}

export const test = it;
for (const declare of [describe, it]) {
  declare.each =
    (cases) =>
    (title, ...rest) => {
      const run = rest.find((each) => typeof each === 'function');
      for (const each of cases) {
        const values = Array.isArray(each) ? each : [each];
        declare(`${title} ${JSON.stringify(each, describeValue)}`, () => run(...values));
      }
    };
  declare.skip = () => undefined;
  declare.skipIf = (skipped) => (skipped ? declare.skip : declare);
  declare.runIf = (wanted) => (wanted ? declare : declare.skip);
  declare.concurrent = declare;
}

function describeValue(_key, value) {
  return typeof value === 'bigint' || typeof value === 'symbol' ? String(value) : value;
}

const hook = (kind) => (run) => void suite.hooks[kind].push(run);
export const beforeAll = hook('beforeAll');
export const afterAll = hook('afterAll');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');
export const onTestFinished = (run) => void finishers.push(run);

/** What an array that should be empty holds: there the campaign lists what it found. */
function firstDifference({ actual } = {}) {
  return Array.isArray(actual) && typeof actual[0] === 'string' ? `\n${actual.join('\n')}` : '';
}
