/** `listenerOf`: the function that takes events of a type. */

import { isDocumentedType } from '../../webhooks/event-types.js';
import type { MarketEvent } from '../../webhooks/events.js';
import type { EventContext, EventInboxOptions } from './inbox-options.js';

export function listenerOf<Tx>(
  { on, onUnknown }: Pick<EventInboxOptions<Tx>, 'on' | 'onUnknown'>,
  type: string,
): ((event: MarketEvent, context: EventContext<Tx>) => unknown) | undefined {
  const listener = isDocumentedType(type) ? on[type] : onUnknown;
  // Each listener takes its own type alone, which was just compared.
  return listener as ((event: MarketEvent, context: EventContext<Tx>) => unknown) | undefined;
}
