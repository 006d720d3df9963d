import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { rowFor, rulesInTable, rulesInTests } from './conformance.rules.js';

const partsOfTheSpecification = '1, 2, 3, 4, 4.1, 4.2, 4.3, 4.4, 4.5, 4.6, 4.7, 5, 6, 7, 8'.split(
  ', ',
);

const document = readFileSync(new URL('../docs/conformance.md', import.meta.url), 'utf8');
const table = rulesInTable(document).map(rowFor);
const tests = rulesInTests().map(rowFor);

describe('docs/conformance.md', () => {
  it('has a row for each test that quotes a rule', () => {
    expect(tests.filter((row) => !table.includes(row))).toEqual([]);
  });

  it('has no row without a test that runs', () => {
    expect(table.filter((row) => !tests.includes(row))).toEqual([]);
  });

  it('has each rule once, in the order of the parts, and leaves out no part', () => {
    expect(new Set(table).size).toBe(table.length);
    const parts = rulesInTable(document).map(({ part }) => part);
    expect([...new Set(parts)]).toEqual(partsOfTheSpecification);
    expect(parts).toEqual([...parts].sort((a, b) => Number(a) - Number(b)));
  });
});
