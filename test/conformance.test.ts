import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { describe, expect, it } from 'vitest';
import { rulesInTable, rulesInTests, withRules } from './conformance.rules.js';

const partsOfTheSpecification = '1, 2, 3, 4, 4.1, 4.2, 4.3, 4.4, 4.5, 4.6, 4.7, 5, 6, 7, 8'.split(
  ', ',
);

const path = fileURLToPath(new URL('../docs/conformance.md', import.meta.url));
const document = readFileSync(path, 'utf8');

describe('docs/conformance.md', () => {
  // `npm run accept` writes the document.
  it('has a row for each test that quotes a rule, and no other', async () => {
    const options = { ...(await resolveConfig(path)), filepath: path };
    const expected = await format(withRules(document, rulesInTests()), options);
    await expect(expected).toMatchFileSnapshot(path);
  });

  it('has no rule twice, and leaves out no part', () => {
    const rules = rulesInTests().map(({ part, words }) => `${part} ${words}`);
    expect(rules).toEqual([...new Set(rules)]);
    const parts = rulesInTable(document).map(({ part }) => part);
    expect([...new Set(parts)]).toEqual(partsOfTheSpecification);
  });
});
