/** The command `market-partner-sdk doctor`: whether this machine reaches the service, and with which credential. */

import { parseArgs } from 'node:util';
import { scopes } from '../testing/credentials.js';
import { reportText } from './doctor/report.js';
import { UsageError, type Terminal } from './terminal.js';

export const doctorUsage = `market-partner-sdk doctor [options]

Sends one signed read for each scope with MARKET_BASE_URL, MARKET_KEY_ID and MARKET_SECRET, and
reports what is wrong with the connection, TLS, the credential or the clock. It changes nothing at
the service. It ends with 0 when all is well, with 1 when a check failed.

  --scopes <list>          scopes that your program needs: search,buy; a missing one is then a
                           failure
  --proxy <address>        as the client's option: environment, or a proxy's address
  --json                   print one JSON object
  --live                   allow a live credential

Example: market-partner-sdk doctor --scopes search,buy
`;

/** Resolves with 0 when every check passed, else with 1. */
export async function runDoctor(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scopes: { type: 'string', default: '' },
      proxy: { type: 'string' },
      json: { type: 'boolean', default: false },
      live: { type: 'boolean', default: false },
    },
  });
  const named = values.scopes.split(',').map((scope) => scope.trim());
  const neededScopes = named.filter((scope) => scope !== '');
  const unknown = neededScopes.find((scope) => !scopes.includes(scope));
  if (unknown !== undefined) {
    throw new UsageError(`"--scopes" knows ${scopes.join(', ')}; got ${unknown}`);
  }
  const { out, env = {}, stop } = terminal;
  // Not at the top: the other commands do not need the client.
  const { runChecks } = await import('./doctor/run-checks.js');
  const { proxy, live: isLiveAllowed } = values;
  const report = await runChecks({ env, neededScopes, stop, proxy, isLiveAllowed });
  out(values.json ? `${JSON.stringify(report)}\n` : reportText(report));
  return report.ok ? 0 : 1;
}
