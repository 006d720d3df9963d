/** The example for Jest runs as docs/testing.md prints it, with vitest's functions in the place of Jest's. */

import * as sdk from 'market-partner-sdk';
import * as testing from 'market-partner-sdk/testing';
import { describe, expect, it } from 'vitest';
import { pageAt } from './pages.js';

const modules = { 'market-partner-sdk': sdk, 'market-partner-sdk/testing': testing };
const { code } = pageAt('docs/testing.md').fences.find(({ code }) => code.includes('require('))!;

describe('in Jest', () => {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const run = new Function('require', 'test', 'expect', code) as (...globals: unknown[]) => void;
  run((name: keyof typeof modules) => modules[name], it, expect);
});
