import { describe, it } from 'vitest';
import { engineChecks } from '../engine-kit/index.js';
import { newestPgBoss, pg, pgBoss, pgBossUnderTest } from '../support/pg-boss-under-test.js';
import { isReachable, postgresUrl, skipReason } from '../support/servers.js';

const hasPostgres = await isReachable(postgresUrl);

describe.each([
  ['pg-boss, the oldest release', pgBoss],
  ['pg-boss, the newest release', newestPgBoss],
])('%s', (name, bossModule) => {
  const skipped = skipReason({
    [`${name} (npm run test:engines installs it)`]: pg === undefined || bossModule === undefined,
    'PostgreSQL at DATABASE_URL': !hasPostgres,
  });
  describe.skipIf(skipped !== undefined)(skipped ?? 'on PostgreSQL', () => {
    // A dead worker is found by its heartbeat, which pg-boss counts in seconds.
    const settings = { leaseMs: 2_000, takeoverMs: 5_000, backlog: 2_000, claimMs: 200 };
    const start = () => pgBossUnderTest(50, undefined, bossModule);
    // Those that wait for a lease to end take the time of one.
    for (const check of engineChecks(start, settings)) {
      it.concurrent(check.name, check.run, check.timeoutMs);
    }
  });
});
