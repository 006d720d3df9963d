/** What the partner's logger is told, and what it never is. */

import { describe, expect, it, vi } from 'vitest';
import type { LogFields, Logger } from 'market-partner-sdk';
import { allCalls } from '../../support/calls.js';
import {
  credential,
  done,
  failureOf,
  refusal,
  scriptedService,
  type Step,
} from '../../support/scripted-service.js';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

function recorder(): { lines: Line[]; logger: Logger } {
  const lines: Line[] = [];
  const level = (name: string) => (message: string, fields: LogFields) =>
    lines.push({ level: name, message, fields });
  const logger = {
    debug: level('debug'),
    info: level('info'),
    warn: level('warn'),
    error: level('error'),
  };
  return { lines, logger };
}

/** What a service says whose clock is an hour ahead. */
const late = refusal(401, 'invalid_timestamp', { date: 'Sat, 21 Nov 2026 09:00:00 GMT' });

describe('the logger', () => {
  it('is told of every attempt at debug, and of a repeat at warn', async () => {
    const { lines, logger } = recorder();
    const { market, time } = scriptedService([refusal(503), 'reset', done()], { logger });
    time.random = 0.5;
    await market.orders.create({ domain: 'brew.example' }, { idempotencyKey: 'basket-7' });
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
      { ...about, attempt: 2, failure: 'broken' },
      { ...about, attempt: 2, failure: 'broken', reason: 'broken', delayMs: 500 },
      { ...about, attempt: 3, status: 200 },
    ]);
  });

  it('is told at info that the clock was corrected, and by how much', async () => {
    const { lines, logger } = recorder();
    const { market } = scriptedService([late, done()], { logger });
    await market.orders.get('ord_1001');
    const line = lines.find(({ level }) => level === 'info');
    expect(line!.message).toMatch(/the clock was corrected/);
    expect(line!.fields).toMatchObject({ offByMs: 3_600_000, attempt: 1 });
  });

  it('is told at warn of a wait for the rate limit', async () => {
    const { lines, logger } = recorder();
    const wait = refusal(429, 'rate_limited', { 'retry-after': '30' });
    const { market } = scriptedService([wait, done()], { logger, maxRetries: 0 });
    await failureOf(market.orders.get('ord_1001'));
    await market.orders.get('ord_1002');
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([
      {
        message: expect.stringMatching(/asked this client to slow down/),
        fields: { delayMs: 30_000 },
      },
    ]);
  });

  it('is told at debug which lines were signed, when a signature is refused', async () => {
    const { lines, logger } = recorder();
    const { market, dispatcher } = scriptedService([refusal(401, 'invalid_signature')], { logger });
    await failureOf(market.domains.search('tea & coffee'));
    const line = lines.find(({ fields }) => 'explanation' in fields);
    expect(line!.level).toBe('debug');
    const explanation = String(line!.fields.explanation);
    const { headers } = dispatcher.sent[0]!;
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

  it('is not told of signed lines where nothing is wrong with them', async () => {
    const { lines, logger } = recorder();
    const { market } = scriptedService([refusal(401, 'missing_credentials')], { logger });
    await failureOf(market.orders.get('ord_1001'));
    expect(lines.some(({ fields }) => 'explanation' in fields)).toBe(false);
  });

  it('is never told a secret, a signature or a body, and a query only in signed lines', async () => {
    const { lines, logger } = recorder();
    const steps: Step[] = [
      refusal(401, 'invalid_signature'),
      late,
      refusal(429, 'rate_limited', { 'retry-after': '1' }),
      'reset',
      'refused',
      refusal(500, 'internal_error'),
    ];
    for (const step of steps) {
      const { market } = scriptedService([step], { logger });
      for (const call of Object.values(allCalls)) await failureOf(call(market));
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
    const steps = [late, refusal(503), done()];
    const { market } = scriptedService(steps, { logger, validateResponses: 'warn' });
    const { response } = await market.orders.create({ domain: 'brew.example' }).withResponse();
    expect(response.attempts).toBe(3);
  });

  it('by rejecting breaks neither the call nor the process', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const logger = { debug: async () => mistake(), warn: async () => mistake() };
    const { market } = scriptedService([refusal(503), done()], { logger });
    await market.orders.get('ord_1001');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('by lacking levels is told the ones that it has', async () => {
    const warn = vi.fn();
    const { market } = scriptedService([late, refusal(503), done()], { logger: { warn } });
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
    await scriptedService([done()], { logger }).market.orders.get('ord_1001');
    expect(logger.count).toBe(1);
  });
});
