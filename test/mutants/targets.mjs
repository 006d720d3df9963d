/** The sources that decide about money and trust, and the tests that must notice every change of them. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.mjs';

const testsOf = (folder, ...names) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.test.ts') && (names.length === 0 || names.includes(name)))
    .map((name) => `${folder}/${name}`);

const sourcesOf = (folder, ...names) => {
  const wanted = names.map((name) => `${name}.ts`);
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts') && (names.length === 0 || wanted.includes(name)))
    .map((name) => `${folder}/${name}`);
};

const durableTests = (pattern) =>
  testsOf('test/durable').filter((path) => pattern.test(path.slice('test/durable/'.length)));

/** Quick tests come first: most mutants die by them. */
export const targets = [
  {
    name: 'protocol',
    sources: sourcesOf(
      'src/client/protocol',
      'canonical-string',
      'digest',
      'hmac',
      'path',
      'query',
      'sign',
    ),
    tests: [
      ...testsOf('test/client/protocol', 'vectors.test.ts'),
      ...testsOf('test/client/protocol'),
    ],
  },
  {
    name: 'retry decision and outcome',
    sources: sourcesOf('src/client/engine/retry'),
    tests: [
      ...testsOf('test/client/engine/retry'),
      ...testsOf(
        'test/client/calls/retries',
        'retry-table.test.ts',
        'outcomes.test.ts',
        'rate-limit.test.ts',
        'service-clock.test.ts',
        'attempts.test.ts',
      ),
      'test/faults/calls/single-situations.test.ts',
      'test/faults/calls/every-fault.test.ts',
    ],
  },
  {
    name: 'resume',
    sources: [
      ...sourcesOf('src/client/sale'),
      ...sourcesOf(
        'src/client/resources',
        'check-record',
        'resume-case',
        'resume-order',
        'resume-refund',
        'resume-write',
      ),
    ],
    tests: [
      ...testsOf('test/client/sale'),
      ...testsOf(
        'test/client/resources',
        'other-record.test.ts',
        'resume-case.test.ts',
        'resume-refund.test.ts',
        'resume.test.ts',
        'requote.test.ts',
      ),
    ],
  },
  {
    name: 'books',
    sources: sourcesOf('src/client/books'),
    tests: [...testsOf('test/client/books'), 'test/faults/books/reconcile.test.ts'],
  },
  {
    name: 'verification',
    sources: sourcesOf(
      'src/webhooks',
      'verify',
      'signature-header',
      'secrets',
      'raw-body',
      'parse-event',
    ),
    tests: testsOf(
      'test/webhooks',
      'verify.test.ts',
      'verify-edges.test.ts',
      'events.test.ts',
      'verify.properties.test.ts',
      'node-crypto.test.ts',
    ),
  },
  {
    name: 'queue',
    sources: sourcesOf('src/durable/queue'),
    tests: [
      ...durableTests(/^(time|worker|leases|queue|stop)/),
      ...durableTests(/^(inbox|outbox|sqlite|diagnostics)/),
    ],
  },
  {
    name: 'outbox',
    sources: sourcesOf('src/durable/outbox'),
    tests: durableTests(/^(outbox-|queue-names|stop)/),
  },
  {
    name: 'inbox',
    sources: [...sourcesOf('src/durable/inbox'), ...sourcesOf('src/durable/history')],
    tests: durableTests(/^(inbox|passed|circuit|ordering|bounded|poll)-/),
  },
];

/** Sources whose tests mock modules or timers: a mutant that survives elsewhere meets vitest itself, too. */
export const mocked = [
  'src/client/protocol/sign.ts',
  'src/client/protocol/digest.ts',
  'src/webhooks/verify.ts',
  'src/core/time/sleep.ts',
];
