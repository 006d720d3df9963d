/** Specification, 4.7. */

import { optional, text } from '../../core/schema/options.js';
import { ServiceError } from '../service-error.js';
import { httpUrl } from '../values.js';
import { endpoint, ok, type Endpoint } from './endpoint.js';
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
  // The one list with a documented envelope and cursor: `listEnvelope` does not change it.
  endpoint(
    'GET /events',
    { scopes: ['webhook'] },
    () => ({ after_id: optional(text()), limit: optional(count()) }),
    ({ market, account, input }) => {
      const { after_id: afterId, limit = defaultEvents } = input;
      const now = market.clock.now();
      const found = account.history.after(afterId, Math.min(limit, maxEvents), now);
      if (found === undefined) {
        const id = afterId ?? '';
        const why = account.history.hasExpired(id, now)
          ? 'has expired: the history does not go back that far'
          : 'is not an event of yours';
        throw new ServiceError('validation_error', `"after_id" ${id} ${why}.`);
      }
      const events = found.map(({ id, type, created_at, data }) => ({
        id,
        type,
        created_at,
        data,
      }));
      return ok({ events, next_cursor: events.at(-1)?.id ?? afterId ?? null });
    },
  ),
];
