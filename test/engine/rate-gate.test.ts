import { describe, expect, it } from 'vitest';
import { RateGate } from '../../src/engine/rate-gate.js';

describe('the rate gate', () => {
  it('is open at first', () => {
    expect(new RateGate().remainingMs(0)).toBe(0);
  });

  it('holds until its time, and opens by itself', () => {
    const gate = new RateGate();
    gate.holdUntil(5_000);
    expect(gate.remainingMs(2_000)).toBe(3_000);
    expect(gate.remainingMs(4_999)).toBe(1);
    expect(gate.remainingMs(5_000)).toBe(0);
    expect(gate.remainingMs(9_000)).toBe(0);
  });

  it('is held longer by a later answer, never shorter', () => {
    const gate = new RateGate();
    gate.holdUntil(5_000);
    gate.holdUntil(3_000);
    expect(gate.remainingMs(0)).toBe(5_000);
    gate.holdUntil(8_000);
    expect(gate.remainingMs(0)).toBe(8_000);
  });
});
