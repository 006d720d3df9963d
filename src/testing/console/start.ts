/** What the first screen holds: the variables of a client, and the line that places an order. */

import type { CredentialView, EmulatorView } from './wire.js';

/**
 * The credential that was chosen, else the first of an environment in which nothing is sold; the command's
 * has every scope.
 */
export function mainCredential(
  { credentials }: Pick<EmulatorView, 'credentials'>,
  chosen: string | undefined,
): CredentialView | undefined {
  return (
    credentials.find(({ keyId }) => keyId === chosen) ??
    credentials.find(({ environment }) => environment !== 'live')
  );
}

/** Lines for a shell or a .env file. The webhook's secret is the partner's choice. */
export function variables(baseUrl: string, keyId: string, secret: string): string {
  return [
    `MARKET_BASE_URL=${baseUrl}`,
    `MARKET_KEY_ID=${keyId}`,
    `MARKET_SECRET=${secret}`,
    'MARKET_WEBHOOK_SECRET=whsec_of_this_machine',
  ].join('\n');
}

/** A line for a shell that places an order in this emulator. */
export function sampleOrderLine(baseUrl: string, hasToken: boolean): string {
  const { origin } = new URL(baseUrl);
  return [
    'npx market-partner-sdk orders place',
    ...(origin === 'http://127.0.0.1:4010' ? [] : [`--url ${origin}`]),
    ...(hasToken ? ['--control-token TOKEN'] : []),
  ].join(' ');
}
