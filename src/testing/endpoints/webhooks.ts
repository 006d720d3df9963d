/** Specification, 4.7. */

import { ok, type Call, type Endpoint } from '../service/endpoint.js';
import { Refusal } from '../service/refusal.js';

const defaultEvents = 100;
const maxEvents = 1000;

export const webhookEndpoints: readonly Endpoint[] = [
  { method: 'PUT', path: '/webhooks', unversioned: true, scopes: ['webhook'], run: putWebhook },
  { method: 'GET', path: '/events', scopes: ['webhook'], run: listEvents },
];

function putWebhook({ market, account, body }: Call) {
  const input = body();
  const url = input.url('url');
  const secret = input.requiredText('secret');
  if (url === undefined) throw new Refusal('validation_error', '"url" is required.');
  const created_at = account.webhook?.created_at ?? market.timestamp();
  account.webhook = { url, secret, active: true, created_at };
  return ok({ url, active: true, created_at });
}

/** The one list whose envelope and position are documented; the switches do not touch it. */
function listEvents({ account, query }: Call) {
  const afterId = query.text('after_id');
  const limit = Math.min(query.count('limit') ?? defaultEvents, maxEvents);
  const found = account.history.after(afterId, limit);
  if (found === undefined) {
    throw new Refusal('validation_error', `"after_id" ${afterId ?? ''} is not an event of yours.`);
  }
  const events = found.map(({ id, type, created_at, data }) => ({ id, type, created_at, data }));
  return ok({ events, next_cursor: events.at(-1)?.id ?? afterId ?? null });
}
