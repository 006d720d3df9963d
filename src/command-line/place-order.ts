/** placeOrder: a sample order in a running emulator, with one of its own credentials. */

import type { ControlClient } from './control-client.js';
import { UsageError } from './terminal.js';

/** Finds a domain in every emulator with the default inventory. */
const sampleQuery = 'coffee';

interface Credential {
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly environment: string;
}

/**
 * Searches, asks for a quote and places the order, as a partner's program does.
 *
 * @param domain - the domain to sell; unless given, the first that a search finds
 */
export async function placeOrder(
  control: ControlClient,
  domain: string | undefined,
): Promise<{ readonly public_id: string }> {
  const { MarketClient } = await import('../client/client.js');
  const state = (await control.get('/state?limit=1')) as { baseUrl: string };
  const { keyId } = await findCredential(control);
  const path = `/credentials/${encodeURIComponent(keyId)}/revealSecret`;
  const { secret } = (await control.post(path)) as { secret: string };
  const clock = (await control.get('/clock')) as { now: number };
  const aheadMs = clock.now - Date.now();
  const market = new MarketClient({
    // The origin passed to the command: an emulator on another host does not know it.
    baseUrl: `${control.origin}${new URL(state.baseUrl).pathname.replace(/\/$/, '')}`,
    allowHttp: [new URL(control.origin).hostname],
    keyId,
    secret,
    // Its clock may be days ahead; a program would correct its own by the first refusal.
    clock: () => Date.now() + aheadMs,
  });
  try {
    const name = domain ?? (await market.domains.search(sampleQuery))[0]?.domain;
    if (name === undefined) throw new UsageError('this emulator lists other domains: name one');
    const { quote_id, price_cents } = await market.orders.quote({ domain: name });
    return await market.orders.create({ domain: name, expected_price: price_cents ?? 0, quote_id });
  } finally {
    await market.close();
  }
}

async function findCredential(control: ControlClient): Promise<{ readonly keyId: string }> {
  const usable = (each: Credential) =>
    each.environment !== 'live' && ['search', 'buy'].every((scope) => each.scopes.includes(scope));
  const found = ((await control.get('/credentials')) as Credential[]).find(usable);
  if (found !== undefined) return found;
  return (await control.post('/credentials', { scopes: ['search', 'buy'] })) as Credential;
}
