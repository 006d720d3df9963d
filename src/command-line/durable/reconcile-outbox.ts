/** `withOutbox`: the one outbox of an engine, for the command `reconcile`. */

import type { MarketClient } from '../../client/client.js';
import type { OrderOutbox } from '../../durable/outbox/outbox-api.js';
import { selectConsumers } from './consumers.js';
import type { EngineRequest } from './engine-kind.js';
import { openOutbox } from './open-consumer.js';
import { withEngine } from './run-action.js';

/** Which outbox: there may be several on an engine. */
interface OutboxRequest extends Omit<EngineRequest, 'writes'> {
  readonly name: string | undefined;
  readonly market: MarketClient;
}

/** @throws {@link Error} unless exactly one outbox has the name and the client's environment. */
export async function withOutbox<T>(
  { name, market, ...request }: OutboxRequest,
  use: (outbox: OrderOutbox) => Promise<T>,
): Promise<T> {
  return withEngine({ ...request, writes: false }, async ({ engine, listQueues }) => {
    const { environment } = market;
    const filter = { queue: undefined, name, environment: undefined };
    const outboxes = selectConsumers(await listQueues(), filter)
      .filter(({ half }) => half === 'orders')
      .filter((each) => each.environment === undefined || each.environment === environment);
    const [consumer, ...others] = outboxes;
    if (consumer === undefined) throw new Error('There is no outbox of this credential.');
    if (others.length > 0) {
      const names = outboxes.map(({ queue }) => queue).join(', ');
      throw new Error(`There are several outboxes; choose one by "--name": ${names}`);
    }
    const outbox = openOutbox(engine, consumer, market);
    try {
      return await use(outbox);
    } finally {
      await outbox.stop();
    }
  });
}
