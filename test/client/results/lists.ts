/** Lists as a service may serve them, for tests of pages. */

import { HttpResponse } from 'msw';
import type { ClientOptions } from 'market-partner-sdk';
import { mockMarket, parameter } from '../../support/mock-market.js';

/** One page by the cursor that asks for it; '' is the first. */
export type Pages = Readonly<Record<string, { items: readonly unknown[]; next?: string | null }>>;

/** A client whose GET /orders has these pages, and the cursors it was asked for. */
export function listOf(pages: Pages, options: ClientOptions = {}) {
  const asked: (string | null)[] = [];
  const { market, sent } = mockMarket(
    (request) => {
      const cursor = parameter(request, 'cursor');
      asked.push(cursor);
      const page = pages[cursor ?? ''];
      if (page === undefined) {
        return HttpResponse.json({ code: 'validation_error', message: 'cursor' }, { status: 400 });
      }
      return { data: page.items, next_cursor: page.next ?? null };
    },
    { validateResponses: 'off', ...options },
  );
  return { market, sent, asked };
}

/** Three pages of two, two and one. */
export const threePages: Pages = {
  '': { items: [1, 2], next: 'b' },
  b: { items: [3, 4], next: 'c' },
  c: { items: [5] },
};

/** Lets everything that is under way settle. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((next) => setImmediate(next));
}

/** What an iteration gave, and how it ended. */
export async function collect(list: AsyncIterable<unknown>, atMost = 10_000) {
  const items: unknown[] = [];
  try {
    for await (const item of list) {
      items.push(item);
      if (items.length > atMost) throw new Error('it never ends');
    }
    return { items, error: undefined };
  } catch (error) {
    return { items, error: error as Error };
  }
}
