import { readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMarkdown } from './markdown.js';
import { pages, root } from './pages.js';

/** Sites that the pages may name, and what is there. */
const knownSites: Readonly<Record<string, string>> = {
  'https://keepachangelog.com/en/1.1.0/': 'the form of the changelog',
  'https://semver.org/spec/v2.0.0.html': 'what the version numbers mean',
};

/** The files of the published package. */
const packed = readFileSync(join(root, 'test/packages/files.txt'), 'utf8').split('\n');

describe.each(pages)('the links of $path', ({ path, links }) => {
  it('lead to files and headings that exist', () => {
    const broken = links
      .filter(({ target }) => !/^[a-z]+:/.test(target))
      .map(({ target, line }) => ({ line, problem: problemOf(path, target) }))
      .filter(({ problem }) => problem !== undefined)
      .map(({ line, problem }) => `${path}:${line} ${problem ?? ''}`);
    expect(broken).toEqual([]);
  });

  it('lead to files of the package, for a reader of node_modules, except from images', () => {
    const files = links
      .filter(({ target }) => !/^([a-z]+:|#)|\.png$/.test(target))
      .map(({ target, line }) => ({ line, file: join(dirname(path), target.split('#')[0] ?? '') }));
    // A page for maintainers is itself not in the package.
    const missing = packed.includes(path) ? files.filter(({ file }) => !packed.includes(file)) : [];
    expect(missing).toEqual([]);
  });

  it('lead to no site but the known ones', () => {
    const absolute = links.filter(({ target }) => /^[a-z]+:/.test(target));
    const unknown = absolute.filter(({ target }) => !Object.hasOwn(knownSites, target));
    expect(unknown).toEqual([]);
  });
});

function problemOf(from: string, target: string): string | undefined {
  const [file = '', anchor] = target.split('#');
  const to = file === '' ? from : relative(root, join(root, dirname(from), file));
  if (to.startsWith('..')) return `"${target}" leaves the repository`;
  // A folder has no page of its own in the reference, into which the guides are built.
  if (statSync(join(root, to), { throwIfNoEntry: false })?.isFile() !== true) {
    return `there is no file ${to}`;
  }
  if (anchor === undefined) return undefined;
  if (to === 'CONTRIBUTING.md') {
    const { anchors } = readMarkdown(readFileSync(join(root, to), 'utf8'));
    return anchors.includes(anchor) ? undefined : `there is no heading #${anchor} in ${to}`;
  }
  const page = pages.find(({ path }) => path === to);
  if (page === undefined) return `"${target}" names a heading of what is no page`;
  return page.anchors.includes(anchor) ? undefined : `there is no heading #${anchor} in ${to}`;
}
