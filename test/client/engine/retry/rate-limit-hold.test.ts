import { describe, expect, it } from 'vitest';
import { RateLimitHold } from '../../../../src/client/engine/retry/rate-limit-hold.js';

const maxHoldMs = 10_000;

function blocked(nowMs: number, retryAfterMs: number): RateLimitHold {
  const hold = new RateLimitHold();
  hold.block(nowMs, retryAfterMs, maxHoldMs);
  return hold;
}

describe('the rate limit hold', () => {
  it('is open at first', () => {
    const hold = new RateLimitHold();
    expect(hold.remainingMs(0)).toBe(0);
    expect(hold.beginAttempt(0, 1_000)).toBeUndefined();
  });

  it('holds until its time, and opens by itself for all', () => {
    const hold = blocked(0, 5_000);
    expect(hold.remainingMs(2_000)).toBe(3_000);
    expect(hold.remainingMs(4_999)).toBe(1);
    expect(hold.remainingMs(5_000)).toBe(0);
    expect(hold.beginAttempt(5_000, 1_000)).toBeUndefined();
    expect(hold.remainingMs(5_000)).toBe(0);
  });

  it('is held longer by a later response, never shorter', () => {
    const hold = blocked(0, 5_000);
    hold.block(0, 3_000, maxHoldMs);
    expect(hold.remainingMs(0)).toBe(5_000);
    hold.block(0, 8_000, maxHoldMs);
    expect(hold.remainingMs(0)).toBe(8_000);
  });

  it('holds no longer than its bound, and then lets one call probe at a time', () => {
    const hold = blocked(0, 86_400_000);
    expect(hold.remainingMs(0)).toBe(maxHoldMs);
    expect(hold.remainingMs(maxHoldMs)).toBe(0);
    expect(hold.beginAttempt(maxHoldMs, 1_000)).toBe(maxHoldMs + 1_000);
    expect(hold.remainingMs(maxHoldMs)).toBe(1_000);
    expect(hold.remainingMs(maxHoldMs + 1_000)).toBe(0);
    expect(hold.beginAttempt(maxHoldMs + 1_000, 1_000)).toBe(maxHoldMs + 2_000);
  });

  it('lets the next call probe when a probe ends without lifting the hold', () => {
    const hold = blocked(0, 86_400_000);
    const woken: string[] = [];
    hold.onLift(() => woken.push('first'));
    const probe = hold.beginAttempt(maxHoldMs, 1_000) ?? NaN;
    hold.endProbe(probe);
    expect(hold.remainingMs(maxHoldMs)).toBe(0);
    expect(woken).toEqual(['first']);
    expect(hold.beginAttempt(maxHoldMs, 1_000)).toBeDefined();
  });

  it('keeps the hold that another response or the next probe made meanwhile', () => {
    const hold = blocked(0, 86_400_000);
    const probe = hold.beginAttempt(maxHoldMs, 1_000) ?? NaN;
    hold.block(maxHoldMs, 5_000, maxHoldMs);
    hold.endProbe(probe);
    expect(hold.remainingMs(maxHoldMs)).toBe(5_000);
    const late = hold.beginAttempt(maxHoldMs + 5_000, 1_000) ?? NaN;
    const next = hold.beginAttempt(maxHoldMs + 6_000, 1_000) ?? NaN;
    hold.endProbe(late);
    expect(hold.remainingMs(maxHoldMs + 6_000)).toBe(1_000);
    hold.endProbe(next);
    expect(hold.remainingMs(maxHoldMs + 6_000)).toBe(0);
  });

  it('is open for all once it is lifted, and wakes those that wait', () => {
    const hold = blocked(0, 86_400_000);
    const woken: string[] = [];
    hold.onLift(() => woken.push('first'));
    const stop = hold.onLift(() => woken.push('second'));
    stop();
    hold.lift();
    expect(woken).toEqual(['first']);
    expect(hold.remainingMs(0)).toBe(0);
    expect(hold.beginAttempt(0, 1_000)).toBeUndefined();
  });
});
