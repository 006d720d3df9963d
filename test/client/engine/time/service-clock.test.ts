import { describe, expect, it } from 'vitest';
import { ServiceClock } from '../../../../src/client/engine/time/service-clock.js';

const dateMs = Date.UTC(2026, 10, 21, 8);

describe('the service clock', () => {
  it('is the machine’s until it is corrected', () => {
    const clock = new ServiceClock(() => dateMs + 999);
    expect(clock.nowMs()).toBe(dateMs + 999);
  });

  it.each([-3_600_000, -301_000, 0, 86_400_000])('runs on from a correction of %i ms', (offMs) => {
    let machineMs = dateMs + offMs;
    const clock = new ServiceClock(() => machineMs);
    clock.correct(dateMs);
    expect(clock.nowMs()).toBe(dateMs);
    machineMs += 5_000;
    expect(clock.nowMs()).toBe(dateMs + 5_000);
  });

  it('takes the latest correction, not the sum of them', () => {
    const clock = new ServiceClock(() => 0);
    clock.correct(10_000);
    clock.correct(4_000);
    expect(clock.nowMs()).toBe(4_000);
  });
});
