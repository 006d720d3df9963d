import { describe, expect, it } from 'vitest';
import { Pacer, type Place } from '../../../../src/client/engine/retry/pacer.js';

const options = { maxRateLimitHoldMs: 10_000, random: () => 0 };

function placeOf(facts: Partial<Place> = {}): Place {
  return { isWrite: false, sinceMs: 0, wake: () => undefined, ...facts };
}

/** A pacer that was limited at 0 for a second, and `count` reads that wait. */
function limited(count = 1) {
  const pacer = new Pacer();
  pacer.block(pacer.begin(0), 0, 1_000, options);
  const places = Array.from({ length: count }, (_, sinceMs) => placeOf({ sinceMs }));
  for (const place of places) pacer.join(place);
  return { pacer, places };
}

describe('the pacer', () => {
  it('lets everything through until the first limit', () => {
    const pacer = new Pacer();
    for (let call = 0; call < 1_000; call += 1) pacer.begin(0);
    expect(pacer.isOpen).toBe(true);
    expect(pacer.heldMs(0)).toBe(0);
  });

  it('holds until Retry-After is over, longer by a later response, never shorter', () => {
    const { pacer, places } = limited();
    expect(pacer.isOpen).toBe(false);
    expect([pacer.heldMs(0), pacer.waitMs(places[0]!, 400)]).toEqual([1_000, 600]);
    pacer.block(0, 0, 500, options);
    expect(pacer.heldMs(0)).toBe(1_000);
    pacer.block(0, 0, 3_000, options);
    expect(pacer.heldMs(0)).toBe(3_000);
    pacer.block(0, 0, 86_400_000, options);
    expect(pacer.heldMs(0)).toBe(10_000);
  });

  it('adds a jitter of its own, once for all responses of one limit', () => {
    const pacer = new Pacer();
    const begun = [pacer.begin(0), pacer.begin(0)];
    let drawn = 0;
    const random = () => (drawn += 0.5);
    for (const each of begun) pacer.block(each, 0, 1_000, { ...options, random });
    expect(pacer.heldMs(0)).toBe(1_250);
    expect(drawn).toBe(0.5);
  });

  it('lets one go first, then the others in growing numbers', () => {
    const { pacer, places } = limited(40);
    const starts: number[] = [];
    let running: number | undefined;
    for (let now = 1_000; now < 2_100; now += 1) {
      const next = places[starts.length]!;
      if (pacer.waitMs(next, now) === 0) {
        running = pacer.begin(now);
        pacer.leave(next);
        starts.push(now);
        // The first takes 100 ms, and nothing else starts in them.
        if (starts.length > 1) pacer.end(running, now, true);
      }
      if (now === 1_100) pacer.end(running!, now, true);
    }
    expect(starts.slice(0, 2)).toEqual([1_000, 1_101]);
    const inRound = (from: number) => starts.filter((at) => at >= from && at < from + 250).length;
    const [first, second, third, fourth] = [1_101, 1_351, 1_601, 1_851].map(inRound);
    expect(first).toBe(1);
    expect(second).toBeGreaterThan(1);
    expect(third).toBeGreaterThan(second!);
    expect(fourth).toBeGreaterThan(third! + 2);
    expect(starts.length).toBeLessThan(25);
  });

  it('lets the next go first when the first failed without a response', () => {
    const { pacer, places } = limited(3);
    const begun = pacer.begin(1_000);
    pacer.leave(places[0]!);
    expect(pacer.waitMs(places[1]!, 1_000)).toBe(Infinity);
    pacer.end(begun, 1_010, false);
    expect(pacer.waitMs(places[1]!, 1_010)).toBe(0);
    expect(pacer.waitMs(places[2]!, 1_010)).toBe(Infinity);
  });

  it('halves the rate that was allowed at each further limit', () => {
    const { pacer } = limited(0);
    const serve = (count: number, atMs: number) => {
      for (let call = 0; call < count; call += 1) pacer.end(pacer.begin(atMs), atMs, true);
    };
    serve(10, 1_500);
    pacer.block(pacer.begin(2_000), 2_000, 1_000, options);
    serve(1, 3_000);
    const place = placeOf();
    pacer.join(place);
    pacer.begin(5_000);
    // 10 in 2 s were allowed: half of that, and a little more with each second.
    expect(1_000 / pacer.waitMs(place, 5_000)).toBeCloseTo(2.5 * 2 ** 0.3 + 0.6, 5);
  });

  it('does not return as a wave after a first limit of a minute', () => {
    const pacer = new Pacer();
    pacer.block(pacer.begin(0), 0, 60_000, { ...options, maxRateLimitHoldMs: 60_000 });
    const [first, second, ...others] = Array.from({ length: 8 }, (_, sinceMs) =>
      placeOf({ sinceMs }),
    );
    for (const place of [first!, second!, ...others]) pacer.join(place);
    const begun = pacer.begin(60_000);
    pacer.leave(first!);
    pacer.end(begun, 60_000, true);
    pacer.begin(60_000);
    pacer.leave(second!);
    // What waited, in another minute; eight times as much 30 s later; and two more for each ten seconds since the limit.
    pacer.begin(90_000);
    const rate = (8 / 60) * 2 ** 3 + (2 * 9) / 60;
    expect(1_000 / pacer.waitMs(others[0]!, 90_000)).toBeCloseTo(rate, 1);
  });

  it('takes no response to an attempt of before the limit for another limit, or for a success', () => {
    const pacer = new Pacer();
    const early = [pacer.begin(0), pacer.begin(0), pacer.begin(0)];
    pacer.block(early[0]!, 10, 1_000, options);
    pacer.block(early[1]!, 20, 1_000, options);
    pacer.end(early[2]!, 30, true);
    const [one, other] = [placeOf(), placeOf()];
    for (const place of [one, other]) pacer.join(place);
    expect(pacer.waitMs(one, 1_019)).toBe(1);
    pacer.begin(1_020);
    pacer.leave(one);
    expect(pacer.waitMs(other, 1_020)).toBe(Infinity);
  });

  it('lets writes go before reads, and of two the one that began earlier', () => {
    const { pacer } = limited(0);
    const read = placeOf({ sinceMs: 1 });
    const order = placeOf({ sinceMs: 9, isWrite: true });
    const earlier = placeOf({ sinceMs: 5, isWrite: true });
    for (const place of [read, order, earlier]) pacer.join(place);
    const starts: Place[] = [];
    for (const now of [1_000, 2_000, 3_000]) {
      const next = [read, order, earlier].find((place) => pacer.waitMs(place, now) === 0)!;
      starts.push(next);
      pacer.end(pacer.begin(now), now, true);
      pacer.leave(next);
    }
    expect(starts).toEqual([earlier, order, read]);
  });

  it('wakes the next in the queue whenever that may go', () => {
    const { pacer, places } = limited(2);
    const woken: string[] = [];
    places[0]!.wake = () => woken.push('first');
    places[1]!.wake = () => woken.push('second');
    pacer.lift();
    expect([woken.at(-1), pacer.waitMs(places[0]!, 0)]).toEqual(['first', 0]);
    pacer.leave(places[0]!);
    expect(woken.at(-1)).toBe('second');
    pacer.leave(places[1]!);
    expect(pacer.isOpen).toBe(true);
  });

  it('is open again once nothing has to wait', () => {
    const { pacer } = limited(0);
    for (let now = 1_000; now < 4_000 && !pacer.isOpen; now += 10) {
      pacer.end(pacer.begin(now), now, true);
    }
    expect(pacer.isOpen).toBe(true);
  });
});
