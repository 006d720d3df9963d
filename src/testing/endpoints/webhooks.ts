/** Specification, 4.7. */

import { optional, text } from '../../core/schema/options.js';
import { ServiceError } from '../service-error.js';
import { httpUrl } from '../values.js';
import type { EmulatorEvent } from '../market/events.js';
import { endpoint, ok, type Endpoint, type EndpointCall } from './endpoint.js';
import { count } from './input.js';

const defaultEvents = 100;
const maxEvents = 1000;

export const webhookEndpoints: readonly Endpoint[] = [
  endpoint(
    'PUT /webhooks',
    { scopes: ['webhook'], unversioned: true },
    () => ({ url: httpUrl(), secret: text() }),
    ({ market, account, input: { url, secret } }) => {
      const created_at = account.webhook?.created_at ?? market.timestamp();
      account.webhook = { url, secret, active: true, created_at };
      return ok({ url, active: true, created_at });
    },
  ),
  // The one list with a documented envelope and cursor.
  endpoint(
    'GET /events',
    { scopes: ['webhook'] },
    () => ({ after_id: optional(text()), limit: optional(count()) }),
    ({ market, account, input, events: form = {} }) => {
      const { after_id: afterId, limit = defaultEvents } = input;
      const now = market.clock.now();
      const found = account.history.after(afterId, Math.min(limit, maxEvents), now);
      if (found === undefined) {
        const id = afterId ?? '';
        const why = account.history.hasExpired(id, now)
          ? 'has expired, since the history does not go back that far'
          : 'is not an event of yours';
        throw new ServiceError('validation_error', `"after_id" ${id} ${why}.`);
      }
      const whole = () => account.history.after(undefined, Infinity, now) ?? [];
      const events = pageOf(form, { found, whole, afterId, limit }).map(
        ({ id, type, created_at, data }) => ({
          id,
          type,
          created_at,
          data,
        }),
      );
      return ok({ events, next_cursor: events.at(-1)?.id ?? afterId ?? null });
    },
  ),
];

interface FoundEvents {
  /** Those after `after_id`. */
  readonly found: readonly EmulatorEvent[];
  readonly whole: () => EmulatorEvent[];
  readonly afterId: string | undefined;
  readonly limit: number;
}

/** The page as a profile has it: with the event of `after_id`, or the newest first and on to older ones. */
function pageOf(
  { after, inclusive }: NonNullable<EndpointCall<unknown>['events']>,
  { found, whole, afterId, limit }: FoundEvents,
): readonly EmulatorEvent[] {
  if (after !== 'older' && (inclusive !== true || afterId === undefined)) return found;
  const all = after === 'older' ? whole().reverse() : whole();
  const at = all.findIndex(({ id }) => id === afterId);
  const start = inclusive === true ? Math.max(at, 0) : at + 1;
  return all.slice(start, start + Math.min(limit, maxEvents));
}
