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

/** What the secrets of a credential and of its partner's webhook are, once they were asked for. */
export interface Secrets {
  readonly secret: string;
  /** Absent until an endpoint is registered: its secret is the partner's choice. */
  readonly webhookSecret?: string;
}

const hidden = '…';

/** Lines for a shell or a .env file; without the secrets those are left out. */
export function variables(baseUrl: string, keyId: string, secrets?: Secrets): string {
  const { secret, webhookSecret = 'whsec_of_this_machine' } = secrets ?? {
    secret: hidden,
    webhookSecret: hidden,
  };
  return [
    `MARKET_BASE_URL=${baseUrl}`,
    `MARKET_KEY_ID=${keyId}`,
    `MARKET_SECRET=${secret}`,
    `MARKET_WEBHOOK_SECRET=${webhookSecret}`,
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
