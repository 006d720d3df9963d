/** `createReceiver`: the webhook handler of an inbox. A delivery wakes it; the history decides. */

import type { SafeLogger } from '../../logger.js';
import {
  createDeliveryHandler,
  type WebhookHandler,
} from '../../webhooks/handler/delivery-handler.js';
import type { MarketEvent } from '../../webhooks/events.js';
import type { WebhookStatus } from '../../webhooks/handler/response.js';
import { secretNotSet } from '../../webhooks/secrets.js';
import { readCarrier } from '../diagnostics.js';
import type { DurableQueue } from '../queue/engine.js';
import type { Time } from '../queue/time.js';
import { PartnerChangedError } from '../errors.js';
import type { HistoryReader } from '../history/history-reader.js';
import type { Deliveries } from './deliveries.js';
import type { EventInboxOptions } from './inbox-options.js';
import { listenerOf } from './listener-of.js';

/** The service waits 5 s (specification, part 8); a history that lags gets this much of it. */
const visibilityMs = 2_500;
const visibilityStepMs = 250;

interface Receiver<Tx> {
  readonly options: EventInboxOptions<Tx>;
  readonly time: Time;
  readonly keepDoneMs: number;
  readonly logger: SafeLogger;
  readonly deliveries: Deliveries;
  readonly seen: { duplicates: number; lastWebhookAt: number };
  readonly reader: HistoryReader;
  readonly poll: () => Promise<unknown>;
  readonly queue: () => Promise<Pick<DurableQueue<Tx>, 'find' | 'checkpoint'>>;
  /** The credential is another partner's: its polls must end. */
  readonly onPartnerChange: (error: PartnerChangedError) => void;
}

export function createReceiver<Tx>(inbox: Receiver<Tx>): WebhookHandler {
  const { options, time, keepDoneMs, logger, deliveries, seen, reader, poll, queue } = inbox;

  return createDeliveryHandler({
    secret: options.secret ?? secretNotSet,
    tracing: options.tracing,
    report: (error, { status }) => {
      if (status >= 500)
        logger.error('A delivery was not stored.', { status, error: String(error) });
    },
    process: async (event, { signal }) => {
      try {
        return await receive(event, signal);
      } catch (error) {
        logger.error('A delivery was not stored; the service delivers it again.', {
          id: event.id,
          error: String(error),
        });
        return 503;
      }
    },
  });

  /** 200 only when the engine has the event: until then the service must deliver it again. */
  async function receive(event: MarketEvent, signal: AbortSignal): Promise<WebhookStatus> {
    seen.lastWebhookAt = time.clock();
    await checkPartner(event);
    deliveries.arrived(event.id, readCarrier(options.tracing));
    if (listenerOf(options, event.type) === undefined) return 200;
    // It was handled and forgotten, or it is a capture that is sent again.
    if (Date.parse(event.created_at) < time.clock() - keepDoneMs) return 200;
    if (await isStored(event.id)) {
      seen.duplicates += 1;
      return 200;
    }
    for (
      let waitedMs = 0;
      waitedMs <= visibilityMs && !signal.aborted;
      waitedMs += visibilityStepMs
    ) {
      if (waitedMs > 0) await time.sleep(visibilityStepMs, signal);
      await poll();
      if (await isStored(event.id)) return 200;
      if (reader.hasPassed(event)) return 200;
    }
    return 503;
  }

  async function isStored(id: string): Promise<boolean> {
    return (await (await queue()).find([id])).has(id);
  }

  async function checkPartner({ partner_id: found }: MarketEvent): Promise<void> {
    if (typeof found !== 'string' || found === '') return;
    // A process that has not polled yet knows the partner from the checkpoint alone.
    const isKnown = reader.partnerId !== undefined;
    const checkpoint = isKnown ? undefined : await (await queue()).checkpoint();
    reader.partnerId ??= checkpoint?.partnerId ?? found;
    if (found === reader.partnerId) return;
    const error = new PartnerChangedError(reader.partnerId, found);
    inbox.onPartnerChange(error);
    throw error;
  }
}
