/** createFindListener: finds the listener of an event, and warns about events that have none. */

import { callback } from '../check-options.js';
import { eventTypes, isDocumentedType } from '../event-types.js';
import type { KnownEvent, MarketEvent, MarketEventType, UnknownEvent } from '../events.js';
import type { WebhookSignal } from './delivery-config.js';

/** Only verified events get here: the limit matters only if the service itself sends random types. */
const maxWarnedTypes = 100;

/** What a listener gets with the event. */
export interface WebhookContext {
  /**
   * Aborts when the response is due, or when the sender has closed the connection; the service then
   * delivers again. Pass it to everything that the listener waits for.
   */
  readonly signal: WebhookSignal;
  /** When the delivery arrived. */
  readonly deliveredAt: Date;
  /**
   * The number of this process's attempts at the event, from 1. Set only with `deduplicate`: without
   * it, failed events are not remembered.
   */
  readonly attempt?: number | undefined;
}

/** A listener for each type of event that you need. */
export type WebhookListeners = {
  readonly [Type in MarketEventType]?:
    ((event: Extract<KnownEvent, { type: Type }>, context: WebhookContext) => unknown) | undefined;
};

interface ListenerOptions {
  readonly on?: WebhookListeners | undefined;
  readonly onEvent?: ((event: MarketEvent, context: WebhookContext) => unknown) | undefined;
  readonly onUnknown?: ((event: UnknownEvent, context: WebhookContext) => unknown) | undefined;
}

type Listener = (event: never, context: WebhookContext) => unknown;

/**
 * Finds the listener of an event; undefined if it has none, which is logged once for each type.
 *
 * @throws {@link TypeError} if a listener is not a function, or `on` names an undocumented type
 */
export function createFindListener({ on, onEvent, onUnknown }: ListenerOptions) {
  const listeners = toListeners(on);
  const warned = new Set<string>();

  return ({ type }: MarketEvent): Listener | undefined => {
    const isDocumented = isDocumentedType(type);
    const own = isDocumented ? listeners.get(type) : onUnknown;
    const listener: Listener | undefined = own ?? onEvent;
    if (listener === undefined && !warned.has(type) && warned.size < maxWarnedTypes) {
      warned.add(type);
      warnUnhandled(type, isDocumented);
    }
    return listener;
  };
}

/** A Map, not an object: a type such as `constructor` must not match a prototype member. */
function toListeners(on: unknown): ReadonlyMap<string, Listener> {
  const listeners = new Map<string, Listener>();
  if (on === undefined) return listeners;
  if (typeof on !== 'object' || on === null) throw new TypeError('"on" must be an object.');
  for (const [type, listener] of Object.entries(on as WebhookListeners)) {
    if (!isDocumentedType(type)) {
      throw new TypeError(
        `"on['${type}']" is not a documented event type. onUnknown takes all others; the documented ` +
          `ones are ${eventTypes.join(', ')}.`,
      );
    }
    if (listener === undefined) continue;
    const rule = callback(listener);
    if (rule !== undefined) throw new TypeError(`"on['${type}']" ${rule}.`);
    listeners.set(type, listener);
  }
  return listeners;
}

function warnUnhandled(type: string, isDocumented: boolean): void {
  const name = JSON.stringify(type.slice(0, 100));
  const remedy = isDocumented ? `on[${name}] or onEvent` : 'onUnknown or onEvent';
  console.warn(
    `market-partner-sdk/webhooks: no listener handles events of type ${name}; responded 200. ` +
      `Add ${remedy}.`,
  );
}
