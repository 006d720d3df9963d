import { describe, expect, it } from 'vitest';
import { answerDateMs, parseHttpDate, ServiceClock } from '../../src/engine/service-clock.js';

const date = 'Sat, 21 Nov 2026 08:00:00 GMT';
const dateMs = Date.UTC(2026, 10, 21, 8);

describe('the Date of an answer', () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ['a fresh answer', { date }, dateMs],
    ['a cached one', { date, age: '17' }, undefined],
    ['a cached one that is new', { date, age: '0' }, undefined],
    ['none', {}, undefined],
    ['an empty one', { date: '' }, undefined],
  ])('%s', (_title, headers, expected) => {
    expect(answerDateMs(headers)).toBe(expected);
  });

  it.each([
    'Sat, 21 Nov 2026 08:00:00 gmt',
    'Sat, 21 Nov 2026 08:00:00 UTC',
    'Sat, 21 Nov 2026 08:00:00 +0000',
    ' Sat, 21 Nov 2026 08:00:00 GMT',
    'Sat, 21 Nov 2026 08:00:00 GMT, Sat, 21 Nov 2026 08:00:01 GMT',
    'Saturday, 21-Nov-26 08:00:00 GMT',
    'Sat Nov 21 08:00:00 2026',
    '21 Nov 2026 08:00:00 GMT',
    'Fri, 21 Nov 2026 08:00:00 GMT',
    'Xyz, 21 Nov 2026 08:00:00 GMT',
    'Sat, 1 Nov 2026 08:00:00 GMT',
    'Tue, 31 Feb 2026 08:00:00 GMT',
    'Sun, 29 Feb 2026 08:00:00 GMT',
    'Sat, 21 Foo 2026 08:00:00 GMT',
    'Sat, 21 Nov 2026 24:00:00 GMT',
    'Sat, 21 Nov 2026 08:60:00 GMT',
    'Sat, 21 Nov 2026 08:00:60 GMT',
    'Sat, 00 Nov 2026 08:00:00 GMT',
    '2026-11-21T08:00:00Z',
    String(dateMs / 1000),
    'junk',
  ])('is not guessed at: %s', (value) => {
    expect(parseHttpDate(value)).toBeUndefined();
  });

  it('is read in a leap year', () => {
    expect(parseHttpDate('Tue, 29 Feb 2028 23:59:59 GMT')).toBe(Date.UTC(2028, 1, 29, 23, 59, 59));
  });
});

describe('the service clock', () => {
  it('is the machine’s until it is corrected, in whole seconds for the header', () => {
    const clock = new ServiceClock(() => dateMs + 999);
    expect(clock.nowMs()).toBe(dateMs + 999);
    expect(clock.timestamp()).toBe(String(dateMs / 1000));
  });

  it.each([-3_600_000, -301_000, 0, 86_400_000])('runs on from a correction of %i ms', (offMs) => {
    let machineMs = dateMs + offMs;
    const clock = new ServiceClock(() => machineMs);
    clock.correct(dateMs);
    expect(clock.nowMs()).toBe(dateMs);
    machineMs += 5_000;
    expect(clock.timestamp()).toBe(String(dateMs / 1000 + 5));
  });

  it('takes the latest correction, not the sum of them', () => {
    const clock = new ServiceClock(() => 0);
    clock.correct(10_000);
    clock.correct(4_000);
    expect(clock.nowMs()).toBe(4_000);
  });
});
