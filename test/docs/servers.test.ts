/** A program that is copied must not be reached from other machines before its reader wants that. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pages, root } from './pages.js';

const snippets = pages.flatMap(({ path, fences }) =>
  fences.map(({ code, line }) => ({ name: `${path}:${line}`, code })),
);
const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(mjs|js|ts)$/.test(name) && !name.includes('node_modules'))
  .map((name) => ({ name, code: readFileSync(join(root, 'examples', name), 'utf8') }));

it('every server of the guides and of the examples listens on loopback by default', () => {
  const listening = [...snippets, ...examples].flatMap(({ name, code }) =>
    [...code.matchAll(/\.listen\(([^)\n].*)|\bserve\(\{([^]*?)\n\}\);/g)].map(
      ([, args, options = '']) => ({ name, code, args: args ?? options }),
    ),
  );
  const open = listening.filter(({ code, args }) => {
    const host = /^[^,]+, HOST\b|\bhostname(: HOST)?,/.test(args) ? code : args;
    return !host.includes("'127.0.0.1'");
  });
  expect(listening.length).toBeGreaterThan(8);
  expect(open.map(({ name }) => name)).toEqual([]);
});
