/** Inboxes on an emulator in manual time, new for each test, and what their listeners handled. */

import type { MarketEvent } from 'market-partner-sdk';
import { sellOther, sparing } from './other-events.js';
import {
  createEventInbox,
  type EventInbox,
  type EventInboxOptions,
} from 'market-partner-sdk/durable';
import type { EmulatorOptions } from 'market-partner-sdk/testing';
import { afterEach, beforeEach } from 'vitest';
import { recordingLogger } from '../../support/recording-logger.js';
import { MarketWorld, secret } from './market-world.js';
import type { QueueEngine } from '../../../src/durable/queue/engine.js';
import { memoryEngine } from './open-engines.js';

export class InboxHarness {
  world!: MarketWorld;
  /** `type public_id` of each event that a listener handled. */
  handled: string[] = [];
  log = recordingLogger();
  readonly #inboxes: EventInbox[] = [];

  async begin(options: EmulatorOptions = {}): Promise<void> {
    this.world = await MarketWorld.start(options);
    this.handled = [];
    this.log = recordingLogger();
  }

  async end(): Promise<void> {
    for (const inbox of this.#inboxes.splice(0)) await inbox.stop({ graceMs: 0 });
    await this.world.stop();
  }

  /** Begins anew, at another service. */
  async restart(options: EmulatorOptions): Promise<void> {
    await this.end();
    await this.begin(options);
  }

  get engine(): QueueEngine {
    return memoryEngine(this.world.time.options);
  }

  readonly record = ({ type, data }: MarketEvent): void => {
    const { order } = data as { order: { public_id: string } };
    this.handled.push(`${type} ${order.public_id}`);
  };

  inbox(options: Partial<EventInboxOptions> = {}): EventInbox {
    const inbox = createEventInbox({
      market: this.world.market,
      environment: 'sandbox',
      secret,
      engine: this.engine,
      startFrom: 'beginning',
      random: () => 0.5,
      logger: this.log.logger,
      ...this.world.time.options,
      on: {
        'order.recorded': this.record,
        'order.transfer_started': this.record,
        'order.transfer_completed': this.record,
      },
      ...options,
      ...sparing(options.on),
    });
    this.#inboxes.push(inbox);
    return inbox;
  }

  /** An event whose listener succeeds, whatever the test's listeners do: their failures are then their events' own. */
  async handleOther(inbox: EventInbox): Promise<void> {
    await sellOther(this.world);
    await drain(inbox);
  }

  /** The status that a delivery is answered with, no matter how long that takes. */
  async deliver(inbox: Pick<EventInbox, 'handle'>, event: object, partnerId?: string) {
    const answer = inbox.handle(await this.world.delivery(event, partnerId));
    await this.world.time.advance(5_000);
    return (await answer).status;
  }

  /** Sells so many; all events of the history. */
  async sold(count: number) {
    await this.world.sell(count);
    return this.world.events();
  }

  /** Messages of a level. */
  logged(level: 'warn' | 'error'): string[] {
    return this.log.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  /** How often the history was read. */
  get reads(): number {
    return this.world.emulator.requests.filter(({ path }) => path.endsWith('/events')).length;
  }
}

export function useInboxHarness(): InboxHarness {
  const harness = new InboxHarness();
  beforeEach(() => harness.begin());
  afterEach(() => harness.end());
  return harness;
}

/** A market whose history is one page of these. */
export const marketOf = (items: readonly unknown[]) =>
  ({ events: { list: () => Promise.resolve({ items, hasNextPage: () => false }) } }) as never;

export const drain = (inbox: EventInbox) => inbox.drain({ maxMs: 10_000 });
