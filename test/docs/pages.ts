/** The pages that people read: README, CHANGELOG, llms.txt and the guides. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readMarkdown, type Markdown } from './markdown.js';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface DocPage extends Markdown {
  /** Path from the repository's root: `docs/errors.md`. */
  readonly path: string;
  readonly text: string;
}

/** The guides' file names, without the generated reference. */
const guides = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .sort();

const paths = ['README.md', 'CHANGELOG.md', 'llms.txt', ...guides.map((name) => `docs/${name}`)];

export const pages: readonly DocPage[] = paths
  .filter((path) => existsSync(join(root, path)))
  .map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, text, ...readMarkdown(text) };
  });

export function pageAt(path: string): DocPage {
  const page = pages.find((each) => each.path === path);
  if (page === undefined) throw new Error(`there is no page ${path}`);
  return page;
}
