/** The options of a webhook handler, and what they become. */

import type { KeyObject } from 'node:crypto';
import type { KnownEvent, MarketEvent, MarketEventType, UnknownEvent } from '../events.js';
import { secretKeys, type WebhookSecret } from '../secrets.js';
import type { WebhookStatus } from './answer.js';
import { onceForEach, RecentEvents, type DeduplicationStore } from './deduplication.js';

/** The service waits 5 seconds for an answer (specification, part 8); the way there and back takes some. */
const LONGEST_TIMEOUT_MS = 4_900;

/** What is verified is bounded at 64 MiB; see `verifyWebhook`. */
const LARGEST_BODY = 64 * 1024 * 1024;

const EVENT_TYPES: Readonly<Record<MarketEventType, true>> = {
  'order.recorded': true,
  'order.manual_review_cleared': true,
  'order.transfer_started': true,
  'order.transfer_completed': true,
  'order.settled': true,
  'order.refunded': true,
  'brokerage.case_completed': true,
};

const OPTIONS: Readonly<Record<keyof WebhookHandlerOptions, true>> = {
  secret: true,
  on: true,
  onUnknown: true,
  onError: true,
  maxBytes: true,
  timeoutMs: true,
  deduplicate: true,
};

/** A function for each type of event that you care about. Events without one are answered 200. */
export type WebhookListeners = {
  readonly [Type in MarketEventType]?:
    ((event: Extract<KnownEvent, { type: Type }>) => unknown) | undefined;
};

/** Where an error belongs. */
export interface WebhookErrorContext {
  /** The status that the delivery is answered with because of the error. */
  readonly status: WebhookStatus;
  /** The event, once its signature was verified. */
  readonly event?: MarketEvent;
}

/**
 * The options of `createWebhookHandler`. An unknown or wrong one is refused at once, by its name.
 *
 * @example
 * ```ts
 * import { createWebhookHandler, type WebhookHandlerOptions } from 'market-partner-sdk/webhooks';
 *
 * const options: WebhookHandlerOptions = {
 *   secret: process.env.MARKET_WEBHOOK_SECRET ?? '',
 *   on: { 'order.settled': ({ data }) => console.log('settled', data.order.public_id) },
 *   onUnknown: ({ type }) => console.log('not handled here:', type),
 *   onError: (error, { status }) => console.error(status, error),
 *   deduplicate: true,
 * };
 * const handler = createWebhookHandler(options);
 * ```
 */
export interface WebhookHandlerOptions {
  /** The secret that the webhook was registered with, or several while rotating. */
  readonly secret: WebhookSecret;
  /**
   * A function for each type of event. The delivery is answered 200 when what it returns has
   * resolved, and 500 when it throws or rejects, so that the service delivers the event again.
   */
  readonly on?: WebhookListeners | undefined;
  /** Takes the events of a type that this version does not know. */
  readonly onUnknown?: ((event: UnknownEvent) => unknown) | undefined;
  /**
   * Is told of every delivery that is not answered 200, and why: a `WebhookVerificationError` when
   * it was refused, your handler's own error when that failed. A method other than POST is not
   * reported. Without this option, what is answered 500 or 503 goes to `console.error`.
   */
  readonly onError?: ((error: unknown, context: WebhookErrorContext) => unknown) | undefined;
  /** The largest body that is read, in bytes: 1 to 67,108,864. Default: 1,048,576. */
  readonly maxBytes?: number | undefined;
  /**
   * The longest time until the answer, in milliseconds, reading the body included: 1 to 4,900,
   * because the service waits 5 seconds. Default: 4,500. A handler that takes longer goes on, but
   * the delivery is answered 503 and comes again.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Runs the handler of an event once, though the event is delivered more than once: `true`
   * remembers the latest 10,000 events in memory; a store can remember them for several processes.
   * An event is done when its handler has resolved; copies that arrive before wait for it.
   * Default: off.
   */
  readonly deduplicate?: boolean | DeduplicationStore | undefined;
}

/** The options as the doors use them. */
export interface Receiver {
  readonly keys: readonly KeyObject[];
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Resolves when the event's handler has resolved. */
  readonly run: (event: MarketEvent) => Promise<void>;
  /** Tells `onError`; never throws. */
  readonly report: (error: unknown, context: WebhookErrorContext) => void;
}

/** Checks the options and makes of them what deliveries need. */
export function receiverFrom(options: WebhookHandlerOptions): Receiver {
  refuseUnknown(options, OPTIONS, 'an option of createWebhookHandler');
  const keys = secretKeys(options.secret);
  const report = reporter(functionOrNone(options.onError, '"onError"'));
  const dispatch = dispatcher(
    listenersOf(options.on),
    functionOrNone(options.onUnknown, '"onUnknown"'),
  );
  const dispatchReported = async (event: MarketEvent) => {
    try {
      await dispatch(event);
    } catch (error) {
      report(error, { status: 500, event });
      throw error;
    }
  };
  const store = storeOf(options.deduplicate);
  return Object.freeze({
    keys,
    maxBytes: integer(options.maxBytes ?? 1024 * 1024, 'maxBytes', LARGEST_BODY),
    timeoutMs: integer(options.timeoutMs ?? 4_500, 'timeoutMs', LONGEST_TIMEOUT_MS),
    run:
      store === undefined
        ? dispatchReported
        : onceForEach(store, dispatchReported, (error, event, status) =>
            report(error, { status, event }),
          ),
    report,
  });
}

type Listener = (event: never) => unknown;

function listenersOf(on: unknown): ReadonlyMap<string, Listener> {
  if (on === undefined) return new Map();
  refuseUnknown(on, EVENT_TYPES, 'an event type that is documented: onUnknown takes the others');
  const listeners = new Map<string, Listener>();
  for (const [type, listener] of Object.entries(on as WebhookListeners)) {
    const checked: Listener | undefined = functionOrNone(listener, `"on['${type}']"`);
    if (checked !== undefined) listeners.set(type, checked);
  }
  return listeners;
}

/** By a Map and not by the object: a type may be called `constructor`. */
function dispatcher(
  listeners: ReadonlyMap<string, Listener>,
  onUnknown: Listener | undefined,
): (event: MarketEvent) => Promise<void> {
  return async (event) => {
    const isKnown = Object.hasOwn(EVENT_TYPES, event.type);
    const listener = isKnown ? listeners.get(event.type) : onUnknown;
    await listener?.(event as never);
  };
}

function reporter(onError: WebhookHandlerOptions['onError']): Receiver['report'] {
  const log = (error: unknown) => console.error('market-partner-sdk/webhooks:', error);
  if (onError === undefined) {
    return (error, { status }) => {
      // What a stranger sends is not worth a line of the log; what is broken here is.
      if (status >= 500 || status === 200) log(error);
    };
  }
  const guarded = async (error: unknown, context: WebhookErrorContext) => {
    try {
      await onError(error, context);
    } catch (failure) {
      log(failure);
    }
  };
  return (error, context) => void guarded(error, context);
}

function storeOf(deduplicate: unknown): DeduplicationStore | undefined {
  if (deduplicate === undefined || deduplicate === false) return undefined;
  if (deduplicate === true) return new RecentEvents();
  if (
    typeof deduplicate === 'object' &&
    deduplicate !== null &&
    'has' in deduplicate &&
    typeof deduplicate.has === 'function' &&
    'add' in deduplicate &&
    typeof deduplicate.add === 'function'
  ) {
    return deduplicate as DeduplicationStore;
  }
  throw new TypeError('"deduplicate" must be true, false, or an object with has(id) and add(id).');
}

function refuseUnknown(value: unknown, known: object, what: string): asserts value is object {
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`${known === OPTIONS ? 'The options' : '"on"'} must be an object.`);
  }
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(known, key));
  if (unknown !== undefined) throw new TypeError(`"${unknown}" is not ${what}.`);
}

function functionOrNone<Fn>(value: Fn | undefined, label: string): Fn | undefined {
  if (value === undefined || typeof value === 'function') return value;
  throw new TypeError(`${label} must be a function.`);
}

function integer(value: unknown, name: string, largest: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= largest) {
    return value;
  }
  throw new RangeError(`"${name}" must be an integer from 1 to ${largest}.`);
}
