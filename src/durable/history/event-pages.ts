/** `pagesOf`: the pages of the history from a first one on. */

import type { MarketClient } from '../../client/client.js';
import type { MarketEvent } from '../../webhooks/events.js';

export type EventPage = Awaited<ReturnType<MarketClient['events']['list']>>;

export async function* pagesOf(
  first: EventPage,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ readonly items: MarketEvent[]; readonly isLast: boolean }> {
  for (let page = first; ; page = await page.nextPage()) {
    const isLast = !page.hasNextPage();
    yield { items: page.items.filter(isEvent), isLast };
    if (isLast) return;
    signal?.throwIfAborted();
  }
}

/** One record that is no event must not stop the intake of all others. */
function isEvent(event: unknown): event is MarketEvent {
  const { id, type, created_at, data } = Object(event) as Record<string, unknown>;
  const texts = [id, type, created_at].every((value) => typeof value === 'string' && value !== '');
  return texts && typeof data === 'object' && data !== null;
}
