/** The diagnostics channels of the durable part. No message holds a body or a secret. */

import { channel, tracingChannel } from 'node:diagnostics_channel';

/** A handler's run, as `tracing:market-partner-sdk:event:*` publishes it. */
export interface EventSpan {
  readonly consumer: string;
  readonly id: string;
  readonly type: string;
  readonly attempt: number;
  readonly viaWebhook: boolean;
  /** From the event's `created_at` to this attempt. */
  readonly lagMs: number;
}

/** An attempt to place an order, as `tracing:market-partner-sdk:order:*` publishes it. */
export interface OrderSpan {
  readonly consumer: string;
  readonly key: string;
  readonly attempt: number;
  /** Set when the attempt ended. */
  verdict?: string;
}

const channels = {
  event: tracingChannel<unknown, object>('market-partner-sdk:event'),
  order: tracingChannel<unknown, object>('market-partner-sdk:order'),
};

/** Runs an attempt inside its span. The span's result stays empty: it could hold a buyer's data. */
export async function traceAttempt<T>(
  name: keyof typeof channels,
  span: EventSpan | OrderSpan,
  run: () => Promise<T>,
): Promise<T> {
  let result: T | undefined;
  await channels[name].tracePromise(async () => {
    result = await run();
  }, span);
  return result as T;
}

/** Publishes `market-partner-sdk:poll`, `:dead-letter` or `:gap`. */
export function publish(name: 'poll' | 'dead-letter' | 'gap', message: object): void {
  const named = channel(`market-partner-sdk:${name}`);
  if (named.hasSubscribers) named.publish(message);
}
