import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { brokenLockRules, brokenWorkflowRules } from './packages/workflow-rules.mjs';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const workflows = Object.fromEntries(
  readdirSync(new URL('../.github/workflows', import.meta.url)).map((name) => [
    name,
    read(`.github/workflows/${name}`),
  ]),
);
const manifest = JSON.parse(read('package.json')) as object;
const lockText = read('.github/package-lock.json');

/** The rules that the release breaks after a change of its text. */
function brokenAfter(file: string, from: RegExp | string, to: string): string[] {
  const changed = workflows[file]!.replace(from, to);
  expect(changed).not.toBe(workflows[file]);
  return brokenWorkflowRules({ ...workflows, [file]: changed });
}

describe('the workflows', () => {
  it('obey every rule of a release', () => {
    expect(brokenWorkflowRules(workflows)).toEqual([]);
  });

  it.each<[what: string, file: string, from: RegExp | string, to: string, rule: RegExp]>([
    ['an image by its tag', 'check.yml', /@sha256:[0-9a-f]{64}/, '', /images are pinned/],
    ['an action by its tag', 'release.yml', /@[0-9a-f]{40}/, '@v7', /actions are pinned/],
    [
      'id-token for the packing job',
      'release.yml',
      'read\n    outputs',
      'read\n      id-token: write\n    outputs',
      /only it/,
    ],
    ['npm install before packing', 'release.yml', /npm ci .*/, 'npm install', /by npm ci/],
    [
      'install scripts',
      'release.yml',
      'npm ci --package-lock --ignore-scripts',
      'npm ci',
      /by npm ci/,
    ],
    [
      'scripts while publishing',
      'release.yml',
      ' --ignore-scripts --provenance',
      '',
      /npm publish runs/,
    ],
    [
      'a build in the publishing job',
      'release.yml',
      '- run: npm publish',
      '- run: npm run build\n      - run: npm publish',
      /nothing but/,
    ],
    [
      'no comparison of the hash',
      'release.yml',
      ' | sha256sum --check --strict',
      '',
      /compares the hash/,
    ],
    [
      'no check before packing',
      'release.yml',
      '- run: npm run release:check\n',
      '',
      /release:check before/,
    ],
    ['a stored token', 'release.yml', 'environment: npm', 'env: { NODE_AUTH_TOKEN: x }', /secret/],
    ['an audit by hand only', 'audit.yml', '  schedule:', '  push:', /on a timer/],
  ])('may not have %s', (_what, file, from, to, rule) => {
    expect(brokenAfter(file, from, to)).toContainEqual(expect.stringMatching(rule));
  });
});

describe('the lock file of the release', () => {
  const brokenOf = (text: string) => brokenLockRules(JSON.parse(text), manifest);

  it('is of this package.json, has the hash of each package and names no registry', () => {
    expect(brokenOf(lockText)).toEqual([]);
  });

  it('may not be of another package.json, miss a hash or name a registry', () => {
    expect(brokenOf(lockText.replace(/"undici": "[^"]+"/, '"undici": "*"'))).toHaveLength(1);
    expect(brokenOf(lockText.replace('"integrity": "sha512-', '"integrity": "sha1-'))).toHaveLength(
      1,
    );
    const named = lockText.replace(
      '"integrity"',
      '"resolved": "https://registry.example/a.tgz", "integrity"',
    );
    expect(brokenOf(named)).toHaveLength(1);
  });
});
