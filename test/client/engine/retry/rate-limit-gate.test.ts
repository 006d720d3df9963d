import { describe, expect, it } from 'vitest';
import { RateLimitGate } from '../../../../src/client/engine/retry/rate-limit-gate.js';

const maxHoldMs = 10_000;

function blocked(nowMs: number, retryAfterMs: number): RateLimitGate {
  const gate = new RateLimitGate();
  gate.block(nowMs, retryAfterMs, maxHoldMs);
  return gate;
}

describe('the rate limit gate', () => {
  it('is open at first', () => {
    const gate = new RateLimitGate();
    expect(gate.remainingMs(0)).toBe(0);
    expect(gate.startAttempt(0, 1_000)).toBeUndefined();
  });

  it('holds until its time, and opens by itself for all', () => {
    const gate = blocked(0, 5_000);
    expect(gate.remainingMs(2_000)).toBe(3_000);
    expect(gate.remainingMs(4_999)).toBe(1);
    expect(gate.remainingMs(5_000)).toBe(0);
    expect(gate.startAttempt(5_000, 1_000)).toBeUndefined();
    expect(gate.remainingMs(5_000)).toBe(0);
  });

  it('is held longer by a later response, never shorter', () => {
    const gate = blocked(0, 5_000);
    gate.block(0, 3_000, maxHoldMs);
    expect(gate.remainingMs(0)).toBe(5_000);
    gate.block(0, 8_000, maxHoldMs);
    expect(gate.remainingMs(0)).toBe(8_000);
  });

  it('holds no longer than its bound, and then lets one call probe at a time', () => {
    const gate = blocked(0, 86_400_000);
    expect(gate.remainingMs(0)).toBe(maxHoldMs);
    expect(gate.remainingMs(maxHoldMs)).toBe(0);
    expect(gate.startAttempt(maxHoldMs, 1_000)).toBe(maxHoldMs + 1_000);
    expect(gate.remainingMs(maxHoldMs)).toBe(1_000);
    expect(gate.remainingMs(maxHoldMs + 1_000)).toBe(0);
    expect(gate.startAttempt(maxHoldMs + 1_000, 1_000)).toBe(maxHoldMs + 2_000);
  });

  it('lets the next call probe when a probe ends without lifting the hold', () => {
    const gate = blocked(0, 86_400_000);
    const woken: string[] = [];
    gate.onLift(() => woken.push('first'));
    const probe = gate.startAttempt(maxHoldMs, 1_000) ?? NaN;
    gate.endProbe(probe);
    expect(gate.remainingMs(maxHoldMs)).toBe(0);
    expect(woken).toEqual(['first']);
    expect(gate.startAttempt(maxHoldMs, 1_000)).toBeDefined();
  });

  it('keeps the hold that another response or the next probe made meanwhile', () => {
    const gate = blocked(0, 86_400_000);
    const probe = gate.startAttempt(maxHoldMs, 1_000) ?? NaN;
    gate.block(maxHoldMs, 5_000, maxHoldMs);
    gate.endProbe(probe);
    expect(gate.remainingMs(maxHoldMs)).toBe(5_000);
    const late = gate.startAttempt(maxHoldMs + 5_000, 1_000) ?? NaN;
    const next = gate.startAttempt(maxHoldMs + 6_000, 1_000) ?? NaN;
    gate.endProbe(late);
    expect(gate.remainingMs(maxHoldMs + 6_000)).toBe(1_000);
    gate.endProbe(next);
    expect(gate.remainingMs(maxHoldMs + 6_000)).toBe(0);
  });

  it('is open for all once it is lifted, and wakes those that wait', () => {
    const gate = blocked(0, 86_400_000);
    const woken: string[] = [];
    gate.onLift(() => woken.push('first'));
    const stop = gate.onLift(() => woken.push('second'));
    stop();
    gate.lift();
    expect(woken).toEqual(['first']);
    expect(gate.remainingMs(0)).toBe(0);
    expect(gate.startAttempt(0, 1_000)).toBeUndefined();
  });
});
