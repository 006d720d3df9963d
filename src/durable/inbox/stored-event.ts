/** `StoredEvent`: what the queue of an inbox holds of an event, and how it is read. */

import { isRecord } from '../../core/json.js';
import type { MarketEvent, UnknownEventType } from '../../webhooks/events.js';
import type { Job } from '../queue/job.js';
import type { TraceContext } from '../tracing.js';

/** What is stored for an event, as JSON. */
export interface StoredEvent {
  readonly event: MarketEvent;
  /** Whether its webhook had arrived when it was stored. */
  readonly viaWebhook: boolean;
  /** The trace of that webhook, if the inbox is traced. */
  readonly trace?: TraceContext | undefined;
}

/** `undefined` for what was cut short or emptied since. */
export function readStoredEvent({
  body = '',
}: {
  readonly body?: string | undefined;
}): StoredEvent | undefined {
  try {
    const stored = JSON.parse(body) as StoredEvent | null;
    const { type, data } = Object(stored?.event) as Partial<MarketEvent>;
    return typeof type === 'string' && isRecord(data) ? (stored ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** All that is known of an event whose body cannot be read. */
export function lostEvent({ id, createdAt }: Pick<Job, 'id' | 'createdAt'>): MarketEvent {
  const type = 'unreadable' as unknown as UnknownEventType;
  return { id, type, created_at: createdAt, data: {} };
}
