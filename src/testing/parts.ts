/** createParts: builds the parts of an emulator. What happens in them, they emit on the bus. */

import { BoundedLog } from './bounded-log.js';
import { EmulatorClock } from './clock.js';
import { Credentials } from './credentials.js';
import { DeliveryQueue } from './deliveries/delivery-queue.js';
import type { EventBus } from './event-bus.js';
import { Faults } from './faults/faults.js';
import type { BaseUrlFor } from './http/messages.js';
import { Identifiers } from './identifiers.js';
import { Market } from './market/market.js';
import type { Settings } from './options.js';
import type { RecordedRequest } from './request-log.js';
import { MarketService } from './service/market-service.js';
import { ServiceForm } from './service/service-form.js';

/** A body can be as large as a megabyte, so the log is bounded by bytes too. */
const maxLogBytes = 32 * 1_048_576;

interface PartsContext {
  readonly bus: EventBus;
  readonly stopping: AbortSignal;
  /** Known once the emulator listens. */
  readonly baseUrlFor: BaseUrlFor;
}

export type Parts = Readonly<ReturnType<typeof createParts>>;

export function createParts(settings: Settings, { bus, stopping, baseUrlFor }: PartsContext) {
  const clock = new EmulatorClock(settings.clock, () => bus.emit('jump'));
  const faults = new Faults(settings.seed);
  const identifiers = new Identifiers(settings.seed);
  const recordIdentifiers = new Identifiers(settings.recordSeed);
  const credentials = new Credentials(identifiers);
  const requests = new BoundedLog<RecordedRequest>(
    settings.logSize,
    maxLogBytes,
    ({ body, response }) => body.length + (response?.body.length ?? 0),
  );
  const form = settings.profile && new ServiceForm(settings.profile, clock.now);
  const deliveryQueue = new DeliveryQueue({
    clock,
    render: (event) => form?.event(event) ?? event,
    faults: faults.deliveries,
    retriesMs: settings.webhookRetries,
    timeoutMs: settings.webhookTimeoutMs,
    logSize: settings.logSize,
    deliverTo: settings.deliverTo,
    onAttempt: (attempt) => bus.emit('delivery', attempt),
    stopping,
  });
  const market = new Market({
    clock,
    identifiers: recordIdentifiers,
    run: settings.run,
    seed: settings.seed,
    inventory: settings.inventory,
    historyRetentionMs: settings.historyRetention,
    visibilityDelays: {
      ofEvent: (type) => faults.history.consume(type)?.lateMs ?? 0,
      ofOrder: () => faults.orderList.consume()?.lateMs ?? 0,
    },
    onEvent: (account, event) => bus.emit('event', account, event),
  });
  const service = new MarketService({
    market,
    credentials,
    faults,
    settings,
    form,
    baseUrlFor,
    log: (entry) => bus.emit('request', entry),
  });
  return {
    clock,
    faults,
    /** Those of credentials. */
    identifiers,
    recordIdentifiers,
    credentials,
    idempotencyKeys: service.idempotencyKeys,
    market,
    deliveryQueue,
    requests,
    service,
  };
}
