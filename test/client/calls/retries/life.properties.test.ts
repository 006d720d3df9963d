/** Random scripts of failures, against a model of the retry table that is written from the table alone. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallOutcome, MarketError } from 'market-partner-sdk';
import { harmfulCalls, repeatableCalls, safeCalls } from '../../../support/calls.js';
import { okResponse, errorResponse, mockMarket, type Step } from '../../../support/mock-market.js';

/** What the service may meet an attempt with, what that may have done, and who is repeated after it. */
interface Letter {
  readonly step: Step;
  readonly outcome: CallOutcome | 'success';
  readonly repeated: 'all' | 'harmless' | 'none';
  /** The service says when to come back: only the deadline bounds that. */
  readonly asked?: true;
  /** A correction is made once in a call. */
  readonly once?: 'clock' | 'nonce';
}

const dated = { date: 'Sat, 21 Nov 2026 09:00:00 GMT' };

const harmless = { outcome: 'unknown', repeated: 'harmless' } as const;
const unworked = { outcome: 'rejected', repeated: 'all' } as const;
const final = { outcome: 'rejected', repeated: 'none' } as const;
const limited = (after: Record<string, string> = {}) => errorResponse(429, 'rate_limited', after);
const redirect = () => new Response(null, { status: 302, headers: { location: '/login' } });

const alphabet: Record<string, Letter> = {
  done: { step: okResponse, outcome: 'success', repeated: 'none' },
  refused: { step: 'refused', outcome: 'not_sent', repeated: 'all' },
  limited: { step: limited(), ...unworked },
  wait: { step: limited({ 'retry-after': '3' }), ...unworked, asked: true },
  internal: { step: errorResponse(500, 'internal_error'), ...harmless },
  failed: { step: errorResponse(500), ...harmless },
  gateway: { step: errorResponse(502), ...harmless },
  down: { step: errorResponse(503, undefined, { 'retry-after': '2' }), ...harmless, asked: true },
  reset: { step: 'reset', ...harmless },
  late: { step: errorResponse(401, 'invalid_timestamp', dated), ...unworked, once: 'clock' },
  replayed: { step: errorResponse(401, 'replay_detected'), ...harmless, once: 'nonce' },
  conflict: { step: errorResponse(409, 'conflict'), ...final },
  mismatch: { step: errorResponse(422, 'price_mismatch'), ...final },
  redirect: { step: redirect, outcome: 'unknown', repeated: 'none' },
};

const letters = Object.keys(alphabet);
const calls = Object.entries({ ...safeCalls, ...repeatableCalls, ...harmfulCalls });
const severity = ['not_sent', 'rejected', 'unknown'];

/** What the table says of a script, where no time limit interferes. */
function model(script: readonly string[], call: string, maxRetries: number) {
  const harmful = call in harmfulCalls;
  const read = ['domains.search', 'orders.get'].includes(call);
  const corrected = new Set<string>();
  let outcome = 'not_sent';
  let failures = 0;
  for (let attempts = 1; ; attempts += 1) {
    // A script that ends with waits ends with the deadline.
    if (attempts > 40) return { attempts: undefined, outcome };
    const name = script[Math.min(attempts, script.length) - 1]!;
    const letter = alphabet[name]!;
    if (letter.outcome === 'success') return { attempts, outcome: 'success' };
    // A read does nothing that a copy of it could have done.
    const own = name === 'replayed' && read ? 'rejected' : letter.outcome;
    if (severity.indexOf(own) > severity.indexOf(outcome)) outcome = own;
    const repeated = letter.repeated === 'all' || (letter.repeated === 'harmless' && !harmful);
    const again = repeated && !(letter.once !== undefined && corrected.has(letter.once));
    const isFree = letter.asked === true && maxRetries > 0;
    if (!isFree) failures += 1;
    if (!again || (!isFree && failures > maxRetries)) return { attempts, outcome };
    if (letter.once !== undefined) corrected.add(letter.once);
  }
}

const scripts = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 8 });

describe('any script of failures', () => {
  it('goes as the table says', async () => {
    await fc.assert(
      fc.asyncProperty(
        scripts,
        fc.constantFrom(...calls),
        fc.integer({ min: 0, max: 6 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        async (script, [name, call], maxRetries, random) => {
          const { market, time } = mockMarket(
            script.map((letter) => alphabet[letter]!.step),
            { maxRetries },
          );
          time.random = random;
          const expected = model(script, name, maxRetries);
          const { attempts, outcome } = await endOf(call(market));
          expect(outcome).toBe(expected.outcome);
          if (expected.attempts !== undefined && outcome !== 'success')
            expect(attempts).toBe(expected.attempts);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('sends no request after one that may have done harm, and none beyond maxRetries', async () => {
    await fc.assert(
      fc.asyncProperty(
        scripts,
        fc.constantFrom(...Object.values(harmfulCalls)),
        fc.integer({ min: 0, max: 6 }),
        async (script, call, maxRetries) => {
          const met: string[] = [];
          const steps = script.map((letter) => (): Response | Promise<Response> => {
            met.push(letter);
            const { step } = alphabet[letter]!;
            if (typeof step === 'function') return step();
            return Response.error();
          });
          const { market, dispatcher } = mockMarket(
            script.map((letter, index) => (letter === 'refused' ? letter : steps[index]!)),
            { maxRetries },
          );
          await endOf(call(market));
          const waits = met.filter((letter) => letter === 'wait').length;
          const free = maxRetries === 0 ? 0 : waits;
          expect(dispatcher.sent.length - free).toBeLessThanOrEqual(maxRetries + 1);
          const mayHaveDone = (letter: string) =>
            ['unknown', 'success'].includes(alphabet[letter]!.outcome);
          expect(met.slice(0, -1).some(mayHaveDone)).toBe(false);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('ends within its deadline, each attempt taking its time', async () => {
    await fc.assert(
      fc.asyncProperty(
        scripts,
        fc.constantFrom(...calls),
        fc.integer({ min: 1, max: 20_000 }),
        fc.integer({ min: 0, max: 900 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        async (script, [, call], deadlineMs, attemptMs, random) => {
          const { market, time, dispatcher } = mockMarket(
            script.map((letter) => alphabet[letter]!.step),
            { deadlineMs, maxRetries: 20 },
          );
          const connect = dispatcher.onConnect;
          const started: number[] = [];
          dispatcher.onConnect = () => {
            started.push(time.nowMs);
            time.nowMs += attemptMs;
            return connect();
          };
          time.random = random;
          const startMs = time.nowMs;
          await endOf(call(market));
          // No attempt starts at or after the deadline, and no wait runs beyond it.
          for (const ms of started) expect(ms - startMs).toBeLessThan(deadlineMs);
          expect(time.nowMs - startMs).toBeLessThan(deadlineMs + attemptMs);
        },
      ),
      { numRuns: 150 },
    );
  });
});

async function endOf(call: Promise<unknown>): Promise<{ attempts?: number; outcome: string }> {
  try {
    await call;
    return { outcome: 'success' };
  } catch (error) {
    const { attempts, outcome } = error as MarketError;
    return { attempts: attempts!, outcome: outcome! };
  }
}
