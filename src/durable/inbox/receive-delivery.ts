/** `createReceiver`: the webhook handler of an inbox. A delivery wakes it; the history decides. */

import type { SafeLogger } from '../../core/logger.js';
import {
  createDeliveryHandler,
  type WebhookHandler,
} from '../../webhooks/handler/delivery-handler.js';
import type { MarketEvent } from '../../webhooks/events.js';
import { RecentEvents } from '../../webhooks/handler/deduplication/recent-events.js';
import { RefusalLog } from '../../webhooks/handler/refusal-log.js';
import type { WebhookStatus } from '../../webhooks/handler/response.js';
import type { WebhookTracing } from '../../webhooks/handler/webhook-span.js';
import { secretNotSet, type WebhookSecret } from '../../webhooks/secrets.js';
import { WebhookVerificationError } from '../../webhooks/verification-error.js';
import { readTraceContext } from '../diagnostics.js';
import { whyUnusable } from '../history/event-pages.js';
import type { HistorySource } from '../history/start-reading.js';
import type { DurableTracing } from '../tracing.js';
import type { Intake } from './intake.js';

interface Receiver {
  readonly secret?: WebhookSecret | undefined;
  readonly tracing?: (WebhookTracing & DurableTracing) | undefined;
  readonly logger: SafeLogger;
  readonly market: HistorySource;
  readonly intake: Pick<Intake, 'isOwnPartner' | 'recordDelivery' | 'takeIn'>;
  /** Whether the event would be handled. Others get a 200 and are not stored. */
  readonly isWanted: (event: MarketEvent) => boolean;
  /** Whether the inbox was stopped: its responses then close their connection. */
  readonly isStopping?: (() => boolean) | undefined;
}

/**
 * Responds with 200 only when the event is stored; until then the service must deliver it again. The
 * body of a delivery is dropped once it is verified, and the event is read again from the history:
 * a delivery says that something happened; only the history says what came before it.
 */
export function createReceiver(receiver: Receiver): WebhookHandler {
  const { secret, tracing, logger, market, intake, isWanted, isStopping } = receiver;
  const refusedPartners = new RecentEvents({ maxEvents: 100 });
  let hasReportedSecret = false;
  // Anyone can send them, and so does the service while the secret here is a wrong one.
  const refusals = new RefusalLog((line) => logger.warn(line, {}));

  return createDeliveryHandler({
    secret: secret ?? secretNotSet,
    tracing,
    isStopping,
    read: market.events.readDelivered,
    report: (error, { status }) => {
      const reason = error instanceof WebhookVerificationError ? error.reason : undefined;
      // Anyone can announce a body and send none.
      if (reason !== undefined && (status < 500 || reason === 'body_not_raw')) {
        refusals.add(reason, (error as Error).message);
      } else if (status >= 500 && !isRepeated(error)) {
        logger.error('A delivery was not stored.', { status, error: String(error) });
      }
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

  async function receive(event: MarketEvent, signal: AbortSignal): Promise<WebhookStatus> {
    if (!(await intake.isOwnPartner(event))) return refusePartner(event);
    const why = whyUnusable(event);
    if (why !== undefined) {
      // As where the history has it: no further delivery of it could be stored either.
      const id = event.id.toWellFormed().slice(0, 100);
      logger.error('A delivery has an event that cannot be stored; it is skipped.', { id, why });
      return 200;
    }
    intake.recordDelivery(event, readTraceContext(tracing));
    if (!isWanted(event)) return 200;
    if (await intake.takeIn(event, signal)) return 200;
    logger.warn(
      'A delivery was not stored, because the history does not show its event yet. The service delivers it again.',
      { id: event.id },
    );
    return 503;
  }

  function refusePartner({ id, partner_id: partnerId = '' }: MarketEvent): WebhookStatus {
    if (!refusedPartners.has(partnerId)) {
      logger.error(
        'A delivery for another partner was refused. Its webhook is registered with this address ' +
          'and this secret. Give each partner and environment its own.',
        { id, partnerId },
      );
    }
    refusedPartners.add(partnerId);
    return 400;
  }

  /** Anyone can send deliveries: without a secret, one line in the log must do for all of them. */
  function isRepeated(error: unknown): boolean {
    if (!(error instanceof WebhookVerificationError) || error.reason !== 'missing_secret') {
      return false;
    }
    const isRepeated = hasReportedSecret;
    hasReportedSecret = true;
    return isRepeated;
  }
}
