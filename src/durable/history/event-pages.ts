/** `pagesOf` and `unlessRefused`: the pages of the history. */

import { readError } from '../../core/errors/read-error.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { isObject } from '../../core/json.js';
import { textRule } from '../queue/check-jobs.js';

/** What is read of a page of `events.list`. */
export interface EventPage {
  readonly items: readonly MarketEvent[];
  hasNextPage(): boolean;
  nextPage(): PromiseLike<EventPage>;
}

interface PageOptions {
  readonly signal: AbortSignal | undefined;
  /** Receives each record that is not an event, and why. */
  readonly onUnusable: (record: unknown, why: string) => void;
}

export async function* pagesOf(
  first: EventPage,
  { signal, onUnusable }: PageOptions,
): AsyncGenerator<{ readonly items: MarketEvent[]; readonly isLast: boolean }> {
  for (let page = first; ; page = await page.nextPage()) {
    const isLast = !page.hasNextPage() || hasBlankId(page.items.at(-1));
    const items = page.items.filter((record) => {
      const why = whyUnusable(record);
      if (why !== undefined) onUnusable(record, why);
      return why === undefined;
    });
    yield { items, isLast };
    if (isLast) return;
    signal?.throwIfAborted();
  }
}

/** No page begins after such an event: the next poll reads on from the one before it. */
function hasBlankId(record: unknown): boolean {
  const { id } = Object(record) as { id?: unknown };
  return typeof id === 'string' && id.trim() === '';
}

/** Why a record cannot be stored, if so: it must not stop the intake of all others. */
export function whyUnusable(record: unknown): string | undefined {
  const event = Object(record) as Record<string, unknown>;
  for (const field of ['id', 'type', 'created_at']) {
    const rule = textRule(event[field]);
    if (rule !== undefined) return `"${field}" ${rule}`;
  }
  if (hasBlankId(record)) return '"id" must not be blank';
  if (!isObject(event.data)) return '"data" must be an object';
  return isDeeper(record, deepestLevel) ? 'its JSON is nested too deep' : undefined;
}

/** JSON.stringify overflows the stack some thousand levels down; JSON.parse does not. */
const deepestLevel = 1_000;

function isDeeper(value: unknown, levels: number): boolean {
  if (!isObject(value)) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

/** `undefined` if the service refused `after_id`. */
export async function unlessRefused(page: PromiseLike<EventPage>): Promise<EventPage | undefined> {
  try {
    return await page;
  } catch (error) {
    if (isRefusedCursor(error)) return undefined;
    throw error;
  }
}

/** Whether the service does not know the event of `after_id`: it has expired, or the history is another. */
export function isRefusedCursor(error: unknown): boolean {
  const { code, status } = readError(error);
  return typeof code === 'string' && [400, 404, 410, 422].includes(Number(status));
}
