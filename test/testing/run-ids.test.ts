import { describe, expect, it, onTestFinished } from 'vitest';
import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';

async function start(options: EmulatorOptions = {}) {
  const emulator = await MarketEmulator.start(options);
  onTestFinished(() => emulator.stop());
  return emulator;
}

const eventId = (emulator: MarketEmulator) => emulator.admin.emitEvent('order.settled').id;

describe('the ids of an emulator', () => {
  it('of events are those of its own run, while its credentials are the same', async () => {
    const [first, second] = [await start(), await start()];
    expect(eventId(first)).not.toBe(eventId(second));
    expect(first.createCredential().secret).toBe(second.createCredential().secret);
  });

  it('are the same at each start with a seed', async () => {
    const [first, second] = [await start({ seed: 7 }), await start({ seed: 7 })];
    expect(eventId(first)).toBe(eventId(second));
  });

  it.each([{}, { seed: 7 }])(
    'of events do not come again after a reset, with %j',
    async (options) => {
      const emulator = await start(options);
      const before = eventId(emulator);
      emulator.reset();
      expect(eventId(emulator)).not.toBe(before);
    },
  );

  it('of events do not come again after an older state was restored', async () => {
    const emulator = await start({ seed: 7 });
    const state = emulator.snapshot();
    const before = eventId(emulator);
    emulator.restore(state);
    expect(eventId(emulator)).not.toBe(before);
  });

  it('are restored from a snapshot of an earlier release, which has one list of them', async () => {
    const emulator = await start({ seed: 7 });
    const { recordIdentifiers, ...older } = emulator.snapshot();
    expect(recordIdentifiers).toBeDefined();
    emulator.restore(older);
    expect(emulator.snapshot().recordIdentifiers).toEqual(older.identifiers);
  });
});
