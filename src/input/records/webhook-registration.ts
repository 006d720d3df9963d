/** Checks of the delivery endpoint and of the place in the history. */

import type { EventsQuery, WebhookInput } from '../../model/webhook-registration.js';
import { documented } from '../documented.js';
import { optional } from '../rule.js';
import { httpUrl } from '../values/addresses.js';
import { pageLimit } from '../values/numbers.js';
import { secret, text } from '../values/text.js';

/** PUT /api/partner/webhooks */
export const webhookInput = documented<WebhookInput>({ url: httpUrl, secret });

/** GET /events */
export const eventsQuery = documented<EventsQuery>({
  after_id: optional(text),
  limit: optional(pageLimit),
});
