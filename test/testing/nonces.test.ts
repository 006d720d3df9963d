import { describe, expect, it } from 'vitest';
import { Nonces } from '../../src/testing/verification/nonces.js';

describe('tracked nonces', () => {
  it('are bounded in number for each credential, the oldest forgotten first', () => {
    const nonces = new Nonces();
    for (let count = 0; count <= 50_000; count += 1) nonces.remember('mk_1', `n${count}`, 0);
    nonces.remember('mk_2', 'n0', 0);
    expect(nonces.isTracked('mk_1', 'n0', 0)).toBe(false);
    expect(nonces.isTracked('mk_1', 'n1', 0)).toBe(true);
    expect(nonces.isTracked('mk_1', 'n50000', 0)).toBe(true);
    expect(nonces.isTracked('mk_2', 'n0', 0)).toBe(true);
  });

  it('are tracked as long as a timestamp could still be valid, in whichever direction the clock moved', () => {
    const nonces = new Nonces();
    nonces.remember('mk_1', 'n', 0);
    expect(nonces.isTracked('mk_1', 'n', 600_000)).toBe(true);
    expect(nonces.isTracked('mk_1', 'n', 600_001)).toBe(false);
    expect(nonces.isTracked('mk_1', 'n', -600_001)).toBe(false);
  });
});
