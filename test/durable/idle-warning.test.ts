/** Work that no program takes: stored in a process that neither starts nor drains. */

import { memoryEngine, type OrderOutboxOptions } from 'market-partner-sdk/durable';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { useInboxHarness } from './support/inbox-harness.js';
import { intent, OutboxWorld } from './support/outbox-world.js';

const minuteMs = 60_000;
const harness = useInboxHarness();
const warned: unknown[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  warned.length = 0;
  vi.spyOn(process, 'emitWarning').mockImplementation((text) => void warned.push(text));
});

async function startOutbox(options: Partial<OrderOutboxOptions> = {}) {
  const world = await OutboxWorld.start();
  onTestFinished(() => world.stop());
  const { logger, warnings } = recordingLogger();
  const outbox = world.outboxWith({ logger, ...options });
  const pass = async (ms: number) => {
    await world.time.advance(ms);
    await vi.advanceTimersByTimeAsync(ms);
    await world.time.advance(0);
  };
  return { world, outbox, warnings, pass };
}

describe('a sale in a process that neither starts nor drains', () => {
  it('is one warning after two minutes, with what is missing', async () => {
    const { outbox, warnings, pass } = await startOutbox();
    await outbox.add(intent('payment-1'));
    await pass(2 * minuteMs - 1);
    expect(warnings()).toEqual([]);
    await pass(1);
    expect(warnings()).toEqual([
      {
        level: 'warn',
        message:
          'No program takes what this process stored two minutes ago, because it called neither start() nor drain(). Await start() once, or drain({ maxMs }) from a cron route.',
        fields: { queue: 'market-default-sandbox-orders' },
      },
    ]);
    await outbox.add(intent('payment-2', { domain: 'tea.example' }));
    await pass(10 * minuteMs);
    expect(warnings()).toHaveLength(1);
  });

  it('is a warning of the process where the logger has no warn', async () => {
    const { outbox, pass } = await startOutbox({ logger: false });
    await outbox.add(intent('payment-1'));
    await pass(2 * minuteMs);
    expect(warned).toEqual([expect.stringContaining('neither start() nor drain()')]);
  });

  it('is none if another process takes it, as a cron route does', async () => {
    const engine = memoryEngine();
    const { world, outbox, warnings, pass } = await startOutbox({ engine });
    await outbox.add(intent('payment-1'));
    await pass(minuteMs);
    await world.outboxWith({ engine }).drain({ maxMs: 10_000 });
    await pass(10 * minuteMs);
    expect(warnings()).toEqual([]);
  });

  it('is none if this process drains or starts meanwhile', async () => {
    const { outbox, warnings, pass } = await startOutbox();
    await outbox.add(intent('payment-1'));
    await outbox.drain({ maxMs: 10_000 });
    await outbox.add(intent('payment-2', { domain: 'tea.example' }));
    await pass(10 * minuteMs);
    expect(warnings()).toEqual([]);
  });

  it('is none if this process stops before', async () => {
    const { outbox, warnings, pass } = await startOutbox();
    await outbox.add(intent('payment-1'));
    await outbox.stop();
    await pass(10 * minuteMs);
    expect(warnings()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not keep the process from ending', async () => {
    vi.useRealTimers();
    const timer = vi.spyOn(globalThis, 'setTimeout');
    const { outbox } = await startOutbox();
    await outbox.add(intent('payment-1'));
    const [waiting] = timer.mock.results.filter(
      (_, index) => timer.mock.calls[index]?.[1] === 2 * minuteMs,
    );
    expect((waiting?.value as NodeJS.Timeout).hasRef()).toBe(false);
  });
});

it('an event of a webhook, too, is a warning', async () => {
  const { logger, warnings } = recordingLogger();
  const inbox = harness.inbox({ logger });
  const [event] = await harness.sold(1);
  expect((await inbox.handle(await harness.world.delivery(event!))).status).toBe(200);
  await harness.world.time.advance(2 * minuteMs);
  await vi.advanceTimersByTimeAsync(2 * minuteMs);
  await harness.world.time.advance(0);
  expect(warnings()).toMatchObject([
    { level: 'warn', fields: { queue: 'market-default-sandbox-events' } },
  ]);
});
