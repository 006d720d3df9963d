/** The listeners of an inbox, and what they get. */

import { isDocumentedType } from '../../webhooks/event-types.js';
import type {
  KnownEvent,
  MarketEvent,
  MarketEventType,
  UnknownEvent,
} from '../../webhooks/events.js';

/** What a listener gets besides its event, on every engine. */
export interface AttemptContext {
  /** 1 for the first attempt. An attempt during which the process ended counts as well. */
  readonly attempt: number;
  /** The event's id: the idempotency key for your own calls. */
  readonly id: string;
  /** Fires after `handlerTimeoutMs`, when the inbox stops, or when another process has the event. */
  readonly signal: AbortSignal;
  /** `false`: a poll found the event, and no webhook arrived before this attempt. */
  readonly viaWebhook: boolean;
}

/** What a listener gets on an engine with transactions. */
export interface CommitContext<Tx> {
  /**
   * Runs `write` in the transaction that marks the event done: both happen, or neither. Call it
   * last. The attempt waits for it even if the listener does not, and fails if it fails. On SQLite
   * `write` is synchronous.
   *
   * @throws {@link LeaseLostError} when another process has the event; nothing was written.
   */
  readonly commit: (write: (tx: Tx) => unknown) => Promise<void>;
}

/** What a listener gets besides its event: `commit` only on an engine with transactions. */
export type EventContext<Tx = never> = AttemptContext &
  ([Tx] extends [never] ? unknown : CommitContext<Tx>);

/** A function for each type of event. It runs at least once, and in order for each order. */
export type EventListeners<Tx = never> = {
  readonly [Type in MarketEventType]?:
    | ((event: Extract<KnownEvent, { type: Type }>, context: EventContext<Tx>) => unknown)
    | undefined;
};

/** The options of an inbox that take events. */
export interface ListenerOptions<Tx = never> {
  /** A function for each type of event. Required, with at least one, unless there is `onEvent`. */
  readonly on?: EventListeners<Tx> | undefined;
  /** Takes every event that has no listener. Without it, those are skipped. */
  readonly onEvent?: ((event: MarketEvent, context: EventContext<Tx>) => unknown) | undefined;
  /** Takes events of types that this version does not know, instead of `onEvent`. */
  readonly onUnknown?: ((event: UnknownEvent, context: EventContext<Tx>) => unknown) | undefined;
}

/** A listener whose event was matched to its type. */
export type AnyListener<Tx> = (event: MarketEvent, context: EventContext<Tx>) => unknown;

/** The function that takes events of a type. `undefined`: they are skipped. */
export function listenerOf<Tx>(
  { on, onEvent, onUnknown }: ListenerOptions<Tx>,
  type: string,
): AnyListener<Tx> | undefined {
  const own = isDocumentedType(type) ? on?.[type] : onUnknown;
  // Each listener takes only its own type, which was just compared.
  return (own ?? onEvent) as AnyListener<Tx> | undefined;
}
