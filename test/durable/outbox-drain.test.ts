import { fault } from 'market-partner-sdk/testing';
import { describe, expect, it } from 'vitest';
import { recordingLogger } from '../support/recording-logger.js';
import { intent, useOutboxWorld } from './support/outbox-world.js';

const world = useOutboxWorld();

const after = (ms: number) => world.time.options.sleep(ms, new AbortController().signal);

describe('a drain', () => {
  it('reports what is placed though another order hangs', async () => {
    const attempts: number[] = [];
    const outbox = world.outboxWith({
      market: world.hangingMarket('tea.example'),
      onPlaced: async (_order, _intent, { attempt }) => {
        attempts.push(attempt);
        await after(40);
      },
    });
    await outbox.add(intent('pay-1', { domain: 'tea.example' }));
    await outbox.add(intent('pay-2'));
    for (let round = 0; round < 14; round += 1) await world.drain(outbox, 1_000);
    expect(attempts).toEqual([1]);
    expect(await outbox.get('pay-2')).toMatchObject({ state: 'placed' });
    expect(await outbox.status()).toMatchObject({ attention: 0, unreported: 0 });
  });

  it('says that an attempt failed, and not that it was given back', async () => {
    const { logger, lines } = recordingLogger();
    const outbox = await world.outboxWithSale(
      { logger, market: world.hangingMarket('tea.example') },
      { domain: 'tea.example' },
    );
    await world.drain(outbox, 1_000);
    const warnings = () =>
      lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings()).toEqual([]);
    world.emulator.faults.on('POST /orders', fault.status(500), { times: 1 });
    await outbox.add(intent('pay-2'));
    await world.drain(outbox, 1_000);
    expect(warnings()).toEqual(['Sale pay-2 has no result yet. The outbox will retry.']);
  });

  it('cuts off no callback that takes less than an eighth of its time', async () => {
    const told: string[] = [];
    const outbox = world.outboxWith({
      concurrency: 1,
      onPlaced: async (_order, { key }, { attempt }) => {
        await after(110);
        told.push(`${key} ${attempt}`);
      },
    });
    const keys = await world.addSales(outbox, 12);
    for (let round = 0; round < 3; round += 1) await world.drain(outbox, 1_000);
    expect(told).toEqual(keys.map((key) => `${key} 1`));
  });

  it('places and reports what is stored although "recover" hangs, and ends in time', async () => {
    const { logger, lines } = recordingLogger();
    const recover = async function* () {
      yield* [];
      await new Promise(() => undefined);
    };
    const outbox = await world.outboxWithSale({ logger, recover });
    await world.drain(outbox, 1_000);
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
    expect(lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      '"recover" was stopped before its last row, and will be retried.',
    ]);
  });

  it('places and reports what is stored although "recover" throws, and the status says so', async () => {
    let isDown = true;
    const { logger, lines } = recordingLogger();
    const outbox = world.outboxWith({
      logger,
      recover: () => {
        if (isDown) throw new Error('no such table');
        return [intent('pay-2', { domain: 'tea.example' })];
      },
    });
    await outbox.add(intent('pay-1'));
    await world.drain(outbox, 1_000);
    expect(world.reported).toEqual(['pay-1 placed brew.example']);
    expect((await outbox.status()).recover.error).toContain('no such table');
    expect(lines).toContainEqual({
      level: 'error',
      message: '"recover" failed and will be retried. Stored sales are still being placed.',
      fields: { error: 'Error: no such table' },
    });
    isDown = false;
    await world.drainFor(outbox, 1);
    expect(world.reported).toHaveLength(2);
    expect((await outbox.status()).recover.error).toBeNull();
  });
});
