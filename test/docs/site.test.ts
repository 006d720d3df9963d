/** The site of the guides as a browser shows it, on a desk and on a phone. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { browserIt, useBrowser } from '../support/browser.js';
import { measurePage } from './measure-page.mjs';
import { pageAt, root } from './pages.js';

const site = mkdtempSync(join(tmpdir(), 'site-'));

beforeAll(async () => {
  const typedoc = join(root, 'node_modules/typedoc/bin/typedoc');
  await promisify(execFile)(process.execPath, [typedoc, '--out', site], { cwd: root });
}, 120_000);
afterAll(() => rmSync(site, { recursive: true }));

const names = pageAt('docs/README.md').links.map(
  ({ target }) => /^# (.+)$/m.exec(pageAt(`docs/${target}`).text)?.[1] ?? target,
);
/** Typedoc's names of files: a comma stays, what is no word character is an underscore. */
const pages = [
  'index.html',
  ...names.map((name) => `documents/${name.replace(/[^\w,]/g, '_')}.html`),
];

describe.each([
  ['a desk', { width: 1440, height: 900 }],
  ['a phone', { width: 390, height: 844 }],
])('on %s', (_, viewport) => {
  const open = useBrowser();

  browserIt.each(pages)('%s breaks no word of a table, wraps no code and fits', async (path) => {
    const page = await open({ viewport });
    await page.goto(pathToFileURL(join(site, path)).href);
    const shown = await page.evaluate(measurePage);
    expect(shown).toMatchObject({ broken: [], wrapped: 0, tooWide: false });
    expect(shown.words).toBeGreaterThan(500);
  });
});
