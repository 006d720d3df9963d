/** `listenerOf`: the function that takes events of a type. */

import type { MarketEvent } from '../../webhooks/events.js';
import { isDocumented, type EventContext, type EventInboxOptions } from './inbox-options.js';

export function listenerOf<Tx>(
  { on, onUnknown }: Pick<EventInboxOptions<Tx>, 'on' | 'onUnknown'>,
  type: string,
): ((event: MarketEvent, context: EventContext<Tx>) => unknown) | undefined {
  const listener = isDocumented(type) ? on[type] : onUnknown;
  // Each listener takes its own type alone, which was just compared.
  return listener as ((event: MarketEvent, context: EventContext<Tx>) => unknown) | undefined;
}
