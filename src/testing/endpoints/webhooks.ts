/** Specification, 4.7. */

import { ok, type EndpointCall, type Endpoint } from './endpoint.js';
import { ServiceError } from '../service-error.js';

const defaultEvents = 100;
const maxEvents = 1000;

export const webhookEndpoints: readonly Endpoint[] = [
  { method: 'PUT', path: '/webhooks', unversioned: true, scopes: ['webhook'], run: putWebhook },
  { method: 'GET', path: '/events', scopes: ['webhook'], run: listEvents },
];

function putWebhook({ market, account, body }: EndpointCall) {
  const input = body();
  const url = input.required('url', input.url('url'));
  const secret = input.requiredText('secret');
  const created_at = account.webhook?.created_at ?? market.timestamp();
  account.webhook = { url, secret, active: true, created_at };
  return ok({ url, active: true, created_at });
}

/** The one list with a documented envelope and cursor: `listEnvelope` does not change it. */
function listEvents({ market, account, query }: EndpointCall) {
  const afterId = query.text('after_id');
  const limit = Math.min(query.count('limit') ?? defaultEvents, maxEvents);
  const now = market.clock.now();
  const found = account.history.after(afterId, limit, now);
  if (found === undefined) {
    const id = afterId ?? '';
    const why = account.history.hasExpired(id, now)
      ? 'has expired: the history does not go back that far'
      : 'is not an event of yours';
    throw new ServiceError('validation_error', `"after_id" ${id} ${why}.`);
  }
  const events = found.map(({ id, type, created_at, data }) => ({ id, type, created_at, data }));
  return ok({ events, next_cursor: events.at(-1)?.id ?? afterId ?? null });
}
