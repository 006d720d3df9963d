import { describe, it } from 'vitest';
import { engineChecks } from '../engine-kit/index.js';
import { pg, pgBoss, pgBossUnderTest } from '../support/pg-boss-under-test.js';
import { isReachable, postgresUrl, skipReason } from '../support/servers.js';

const skipped = skipReason({
  'pg-boss (npm run test:engines installs it)': pg === undefined || pgBoss === undefined,
  'PostgreSQL at DATABASE_URL': !(await isReachable(postgresUrl)),
});

describe.skipIf(skipped !== undefined)(
  `pg-boss${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    // A dead worker is found by its heartbeat, which pg-boss counts in seconds.
    const settings = { leaseMs: 2_000, takeoverMs: 5_000, backlog: 2_000, claimMs: 200 };
    // Those that wait for a lease to end take the time of one.
    for (const { name, run, timeoutMs } of engineChecks(() => pgBossUnderTest(), settings)) {
      it.concurrent(name, run, timeoutMs);
    }
  },
);
