// npm run release:check: whether this commit may be published as the version that it names. It uploads
// nothing, but publishes to a registry on this machine. Build first: npm packs what is in dist.
//
//   npm run release:check -- --owner jane      writes this owner into package.json, and ends

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPublished } from './local-registry.mjs';
import { checks, inTemporaryFolder, npm, root, run, withoutHash } from './packed-project.mjs';
import { brokenLockRules, brokenWorkflowRules } from './workflow-rules.mjs';

const { version } = JSON.parse(textOf('package.json'));
const tag = `v${version}`;

/** In the place of the owner's name, until there is one. */
const unnamed = 'OWNER';

/** What no command can find out, and a person does once. */
const forAPerson = [
  'npmjs.com: this repository, release.yml and the environment "npm" as a trusted publisher',
  'GitHub: the environment "npm" with its reviewers, and private vulnerability reports turned on',
  `git: the tag ${tag}, pushed`,
];

const [, ownerGiven] = /^--owner=?(.*)$/.exec(process.argv.slice(2).join('=')) ?? [];
if (ownerGiven !== undefined) {
  nameOwner(ownerGiven);
  process.exit();
}

await checks({
  'package.json, src/core/version.ts and the changelog name one version': oneVersion,
  'nothing in the changelog is unreleased': nothingUnreleased,
  'package.json names its owner and its repository': ownerIsNamed,
  'the workflows keep unpinned code away from what is published': workflowsAreSafe,
  'the lock file of the release is of this package.json': lockFileIsCurrent,
  [`the tag ${tag} is free, or this very commit's`]: tagIsHere,
  'the work tree is clean': workTreeIsClean,
  'dist is not older than src': distIsFresh,
  'the tarball has the committed list of files': tarballIsAsListed,
  'a registry on this machine takes it, and the quickstart runs from there': () =>
    inTemporaryFolder(checkPublished),
});
console.log(['For a person:', ...forAPerson].join('\n- '));

/** The one variable of every field that names the owner. */
function nameOwner(owner) {
  if (!/^[A-Za-z\d](?:[A-Za-z\d-]{0,37}[A-Za-z\d])?$/.test(owner)) {
    throw new Error(`${owner} is not the name of an owner at GitHub`);
  }
  const manifest = JSON.parse(textOf('package.json'));
  const repository = `https://github.com/${owner}/${manifest.name}`;
  manifest.author = owner;
  manifest.homepage = `${repository}#readme`;
  manifest.bugs.url = `${repository}/issues`;
  manifest.repository.url = `git+${repository}.git`;
  writeFileSync(join(root, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function oneVersion() {
  const inSource = /version = '([^']+)'/.exec(textOf('src/core/version.ts'))?.[1];
  const [, inChangelog, date] =
    /^## \[(\d[^\]]*)\](?: - (.+))?$/m.exec(textOf('CHANGELOG.md')) ?? [];
  for (const [place, found] of Object.entries({
    'src/core/version.ts': inSource,
    'CHANGELOG.md': inChangelog,
  })) {
    if (found !== version)
      throw new Error(`package.json has ${version}, ${place} has ${found ?? 'none'}`);
  }
  if (!isDay(date))
    throw new Error(`CHANGELOG.md: ${version} needs its day, as in "## [${version}] - 2026-11-21"`);
  return `${version} of ${date}`;
}

/** A day of the calendar, and not in the future. Another time zone may be a day ahead. */
function isDay(text = '') {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  return time < Date.now() + 86_400_000 && new Date(time).toISOString().startsWith(text);
}

/** Entries under this heading would be published under no version. */
function nothingUnreleased() {
  if (/^## \[?unreleased/im.test(textOf('CHANGELOG.md'))) {
    throw new Error(
      `CHANGELOG.md: move the entries under [Unreleased] to [${version}], and delete the heading`,
    );
  }
}

/** The placeholders of package.json; CONTRIBUTING.md says to fill them before the first release. */
function ownerIsNamed() {
  const { author, homepage, bugs, repository, publishConfig } = JSON.parse(textOf('package.json'));
  const fields = { author, homepage, bugs: bugs.url, repository: repository.url };
  const open = Object.keys(fields).filter((name) => fields[name].split(/\W/).includes(unnamed));
  if (open.length > 0)
    throw new Error(
      `package.json has no owner in ${open.join(', ')}: npm run release:check -- --owner NAME`,
    );
  if (publishConfig.provenance !== true) throw new Error('package.json: provenance must be true');
  return repository.url;
}

/** Trusted publishing needs an id-token, and nothing that is not pinned may come near it. */
function workflowsAreSafe() {
  const folder = '.github/workflows';
  const names = readdirSync(join(root, folder));
  const workflows = Object.fromEntries(names.map((name) => [name, textOf(join(folder, name))]));
  failIfAny(brokenWorkflowRules(workflows), 'broken rules of .github/workflows');
}

function lockFileIsCurrent() {
  const lock = JSON.parse(textOf('.github/package-lock.json'));
  const broken = brokenLockRules(lock, JSON.parse(textOf('package.json')));
  failIfAny(broken, 'broken rules of .github/package-lock.json');
  return `${Object.keys(lock.packages).length - 1} packages`;
}

function failIfAny(broken, what) {
  if (broken.length > 0) throw new Error([`${what}:`, ...broken].join('\n- '));
}

function tagIsHere() {
  const head = git('rev-parse', 'HEAD');
  // for-each-ref prints an annotated tag's commit first, and nothing for a missing tag.
  const format = '--format=%(*objectname) %(objectname)';
  const [tagged] = git('for-each-ref', format, `refs/tags/${tag}`).trim().split(' ');
  if (tagged !== '' && tagged !== head)
    throw new Error(`${tag} is at ${tagged}, and this is ${head}`);
  return tagged === '' ? 'free' : 'at HEAD';
}

function workTreeIsClean() {
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new Error(`not committed:\n${changed}`);
}

function distIsFresh() {
  const newest = Math.max(...filesIn('src').map(modified), modified('tsup.config.ts'));
  const stale = filesIn('dist').filter((path) => modified(path) < newest);
  if (stale.length > 0) throw new Error(`npm run build: ${stale[0]} is older than the source`);
}

function tarballIsAsListed() {
  const [{ files, unpackedSize }] = JSON.parse(
    npm(['pack', '--dry-run', '--json', '--ignore-scripts'], root),
  );
  const committed = textOf('test/packages/files.txt').trim().split('\n');
  const packed = files.map(({ path }) => withoutHash(path));
  const missing = committed.filter((path) => !packed.includes(path)).map((path) => `- ${path}`);
  const extra = packed.filter((path) => !committed.includes(path)).map((path) => `+ ${path}`);
  if (missing.length + extra.length > 0) throw new Error([...missing, ...extra].join('\n'));
  return `${files.length} files, ${(unpackedSize / 1e3).toFixed(0)} kB unpacked`;
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}

function modified(path) {
  return statSync(join(root, path)).mtimeMs;
}

function textOf(path) {
  return readFileSync(join(root, path), 'utf8');
}

function git(...args) {
  return run('git', args, root).trimEnd();
}
