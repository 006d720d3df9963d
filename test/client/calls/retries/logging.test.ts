/** What the partner's logger is told, and what it never is. */

import { describe, expect, it, vi } from 'vitest';
import { allCalls } from '../../../support/calls.js';
import { rejectionOf } from '../../../support/errors.js';
import {
  credential,
  okResponse,
  errorResponse,
  mockMarket,
  type Step,
} from '../../../support/mock-market.js';
import { recordingLogger } from '../../../support/recording-logger.js';

const order = { domain: 'brew.example', expected_price: 250_000 };

/** What a service says whose clock is an hour ahead. */
const late = errorResponse(401, 'invalid_timestamp', { date: 'Sat, 21 Nov 2026 09:00:00 GMT' });

describe('the logger', () => {
  it('gets every attempt at debug, and of a repeat at warn', async () => {
    const { lines, logger } = recordingLogger();
    const { market, time } = mockMarket([errorResponse(503), 'reset', okResponse()], { logger });
    time.random = 0.5;
    await market.orders.create(order, { idempotencyKey: 'basket-7' });
    const of = { call: 'orders.create', method: 'POST', path: '/api/partner/v1/orders' };
    const about = { ...of, idempotencyKey: 'basket-7' };
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'debug orders.create: attempt',
      'warn orders.create: retrying',
      'debug orders.create: attempt',
      'warn orders.create: retrying',
      'debug orders.create: attempt',
    ]);
    expect(lines.map(({ fields }) => fields)).toMatchObject([
      { ...about, attempt: 1, status: 503, durationMs: 0 },
      { ...about, attempt: 1, status: 503, reason: 'server_error', delayMs: 250 },
      { ...about, attempt: 2, failure: 'connection_lost' },
      { ...about, attempt: 2, failure: 'connection_lost', reason: 'connection_lost', delayMs: 500 },
      { ...about, attempt: 3, status: 200 },
    ]);
  });

  it('gets at info that the clock was corrected, and by how much', async () => {
    const { lines, logger } = recordingLogger();
    const { market } = mockMarket([late, okResponse()], { logger });
    await market.orders.get('ord_1001');
    const line = lines.find(({ level }) => level === 'info');
    expect(line!.message).toMatch(/the clock was corrected/);
    expect(line!.fields).toMatchObject({ offByMs: 3_600_000, attempt: 1 });
  });

  it('gets at warn a wait for the rate limit', async () => {
    const { warnings, logger } = recordingLogger();
    const wait = errorResponse(429, 'rate_limited', { 'retry-after': '30' });
    const { market } = mockMarket([wait, okResponse()], { logger, maxRetries: 0 });
    await rejectionOf(market.orders.get('ord_1001'));
    await market.orders.get('ord_1002');
    const message = expect.stringContaining('rate limit until 2026-11-21T08:00:30') as string;
    expect(warnings()).toMatchObject([{ message, fields: { delayMs: 30_000 } }]);
  });

  it('gets at debug which lines were signed, when a signature is refused', async () => {
    const { lines, logger } = recordingLogger();
    const { market, sent } = mockMarket([errorResponse(401, 'invalid_signature')], { logger });
    await rejectionOf(market.domains.search('tea & coffee'));
    const line = lines.find(({ fields }) => 'explanation' in fields);
    expect(line!.level).toBe('debug');
    const explanation = String(line!.fields.explanation);
    const { headers } = sent[0]!;
    for (const part of [
      '"GET"',
      '"/api/partner/v1/domains/search"',
      '"q=tea%20%26%20coffee"',
      `"${headers['x-market-timestamp']}"`,
      `"${headers['x-market-nonce']}"`,
    ]) {
      expect(explanation).toContain(part);
    }
  });

  it('gets no signed lines if nothing is wrong with them', async () => {
    const { lines, logger } = recordingLogger();
    const { market } = mockMarket([errorResponse(401, 'missing_credentials')], { logger });
    await rejectionOf(market.orders.get('ord_1001'));
    expect(lines.some(({ fields }) => 'explanation' in fields)).toBe(false);
  });

  it('never gets a secret, a signature or a body, and a query only in signed lines', async () => {
    const { lines, logger } = recordingLogger();
    const steps: Step[] = [
      errorResponse(401, 'invalid_signature'),
      late,
      errorResponse(429, 'rate_limited', { 'retry-after': '50' }),
      'reset',
      'refused',
      errorResponse(500, 'internal_error'),
    ];
    for (const step of steps) {
      const { market } = mockMarket([step], { logger });
      for (const call of Object.values(allCalls)) await rejectionOf(call(market));
    }
    const text = JSON.stringify(lines);
    expect(lines.length).toBeGreaterThan(100);
    expect(text).not.toContain(credential.secret);
    expect(text).not.toContain('whsec_of_these_tests');
    expect(text).not.toMatch(/v1=[0-9a-f]{64}/i);
    expect(text).not.toContain('ada@buyer.example');
    const signedLines = lines.map(({ fields }) => JSON.stringify(fields.explanation ?? ''));
    const others = signedLines.reduce((rest, explanation) => rest.replace(explanation, ''), text);
    expect(text).toContain('coffee');
    expect(others).not.toContain('coffee');
  });
});

describe('a logger that fails', () => {
  const mistake = () => {
    throw new Error('the disk is full');
  };

  it('by throwing breaks no call', async () => {
    const logger = { debug: mistake, info: mistake, warn: mistake, error: mistake };
    const steps = [late, errorResponse(503), okResponse()];
    const { market } = mockMarket(steps, { logger, validateResponses: 'warn' });
    const { response } = await market.orders.create(order).withResponse();
    expect(response.attempts).toBe(3);
  });

  it('by rejecting breaks neither the call nor the process', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const logger = { debug: async () => mistake(), warn: async () => mistake() };
    const { market } = mockMarket([errorResponse(503), okResponse()], { logger });
    await market.orders.get('ord_1001');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('with some levels missing gets the others', async () => {
    const warn = vi.fn();
    const { market } = mockMarket([late, errorResponse(503), okResponse()], { logger: { warn } });
    await market.orders.get('ord_1001');
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('is called as a method of its own object', async () => {
    class Counting {
      count = 0;
      debug() {
        this.count += 1;
      }
    }
    const logger = new Counting();
    await mockMarket([okResponse()], { logger }).market.orders.get('ord_1001');
    expect(logger.count).toBe(1);
  });
});
