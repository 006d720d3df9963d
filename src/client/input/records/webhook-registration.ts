/** Schemas of the webhook registration and of the event history's query. */

import type { EventsQuery, WebhookRegistrationInput } from '../../model/webhook-registration.js';
import { recordSchema } from '../record-schema.js';
import { optional } from '../lazy-schema.js';
import { httpUrl } from '../values/addresses.js';
import { pageLimit } from '../values/numbers.js';
import { secret, text } from '../values/text.js';

/** PUT /api/partner/webhooks */
export const webhookInput = recordSchema<WebhookRegistrationInput>({ url: httpUrl, secret });

/** GET /events */
export const eventsQuery = recordSchema<EventsQuery>(
  { after_id: optional(text), limit: optional(pageLimit) },
  // The service would ignore it and begin with its oldest event.
  (query) =>
    (query as { cursor?: unknown }).cursor === undefined
      ? undefined
      : { field: 'cursor', message: 'is not a field of the history: pass "after_id"' },
);
