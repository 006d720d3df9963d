// The rules that keep unpinned code away from what is published. `npm run release:check` and a test
// apply them to the workflows and to the lock file of the release.

/** @returns {string[]} the rules that workflows break: a map from file name to text. */
export function brokenWorkflowRules(workflows) {
  const all = Object.values(workflows).join('\n');
  const release = workflows['release.yml'] ?? '';
  const jobs = jobsOf(release);
  const publishing = jobs.filter((job) => job.includes('id-token: write'));
  const [publish = ''] = publishing;
  const pack = jobs.find((job) => /npm pack\b/.test(job)) ?? '';
  return brokenOf({
    'every workflow has "permissions: {}" for all jobs': Object.values(workflows).every((text) =>
      /^permissions: \{\}$/m.test(text),
    ),
    'no workflow uses a secret': !/secrets\.|NODE_AUTH_TOKEN|NPM_TOKEN/.test(all),
    'actions are pinned by their commit': valuesOf(all, 'uses').every((action) =>
      /@[0-9a-f]{40}$/.test(action),
    ),
    'images are pinned by their digest': [
      ...valuesOf(all, 'container'),
      ...valuesOf(all, 'image'),
    ].every((image) => /@sha256:[0-9a-f]{64}$/.test(image)),
    'release.yml: one job, and only it, has "id-token: write"': publishing.length === 1,
    'release.yml: the publishing job runs nothing but the hash check and npm publish':
      !/actions\/checkout|npm (ci|install|run|pack|exec)\b|npx|node |\.ci\//.test(publish),
    'release.yml: the publishing job compares the hash of the packing job before it publishes':
      /needs\.pack\.outputs\.sha256[^]*npm publish/.test(publish) &&
      /sha256sum --check[^]*npm publish/.test(publish),
    'release.yml: npm publish runs with --ignore-scripts':
      /npm publish \S+ [^\n]*--ignore-scripts/.test(publish),
    'release.yml: the packing job installs by npm ci with --ignore-scripts, and nothing else':
      /npm ci [^\n]*--ignore-scripts/.test(pack) && !/npm install|npx|\.ci\//.test(pack),
    'release.yml: the packing job runs release:check before it packs':
      /npm run release:check\n[^]*npm pack --ignore-scripts/.test(pack),
    'audit.yml runs npm audit on a timer': /^ {2}schedule:\n[^]*npm audit\b/m.test(
      workflows['audit.yml'] ?? '',
    ),
  });
}

/** @returns {string[]} the rules that the lock file breaks. */
export function brokenLockRules(lock, manifest) {
  const { '': root = {}, ...packages } = lock.packages ?? {};
  const entries = Object.values(packages);
  const isSame = (field) => JSON.stringify(root[field]) === JSON.stringify(manifest[field]);
  return brokenOf({
    'the lock file is of this package.json: npm run release:lock': [
      'dependencies',
      'devDependencies',
      'peerDependencies',
    ].every(isSame),
    'each locked package has its hash':
      entries.length > 0 && entries.every(({ integrity }) => /^sha512-/.test(integrity)),
    'the lock file names no registry': entries.every(({ resolved }) => resolved === undefined),
  });
}

function brokenOf(rules) {
  return Object.keys(rules).filter((rule) => !rules[rule]);
}

function jobsOf(workflow) {
  const [, jobs = ''] = workflow.split(/^jobs:$/m);
  return jobs.split(/^(?= {2}[\w-]+:$)/m).filter((job) => job.includes('steps:'));
}

function valuesOf(text, key) {
  return [...text.matchAll(new RegExp(`^[ -]*${key}: (\\S+)`, 'gm'))].map(([, value]) => value);
}
