/** The recipes of docs/operations.md with the real pino and winston. */

import { PassThrough } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Logger } from 'market-partner-sdk';
import winston from 'winston';
import { rejectionOf } from '../../support/errors.js';
import { errorResponse, mockMarket, okResponse } from '../../support/mock-market.js';

/** A stream, and the JSON lines that were written to it. */
function recordedLines() {
  const stream = new PassThrough({ encoding: 'utf8' });
  let text = '';
  stream.on('data', (chunk: string) => (text += chunk));
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { stream, lines };
}

/** The recipe for a logger that takes the fields first. */
function fieldsFirst(log: pino.Logger): Logger {
  return {
    debug: (message, fields) => log.debug(fields, message),
    info: (message, fields) => log.info(fields, message),
    warn: (message, fields) => log.warn(fields, message),
    error: (message, fields) => log.error(fields, message),
  };
}

async function retriedOnce(logger: Logger): Promise<void> {
  const { market } = mockMarket([errorResponse(503), okResponse()], { logger });
  await market.orders.get('ord_1001', { context: { orderId: 'A-1001' } });
}

const expected = [
  { level: 'debug', call: 'orders.get', attempt: 1, status: 503, orderId: 'A-1001' },
  { level: 'warn', call: 'orders.get', reason: 'server_error', orderId: 'A-1001' },
  { level: 'debug', call: 'orders.get', attempt: 2, status: 200, orderId: 'A-1001' },
];

describe('winston', () => {
  it('fits as it is, and as a child', async () => {
    const { stream, lines } = recordedLines();
    const log = winston.createLogger({ level: 'debug', format: winston.format.json() });
    // winston's own types do not say that its transports extend the base class.
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment
    log.add(new winston.transports.Stream({ stream }));
    await retriedOnce(log.child({ module: 'market' }));
    expect(lines()).toMatchObject(expected.map((line) => ({ ...line, module: 'market' })));
    expect(lines()[1]!.message).toBe('orders.get: retrying');
  });
});

describe('pino', () => {
  const levels: pino.LoggerOptions = {
    level: 'debug',
    formatters: { level: (level) => ({ level }) },
  };

  it('fits with the fields first', async () => {
    const { stream, lines } = recordedLines();
    await retriedOnce(fieldsFirst(pino(levels, stream).child({ module: 'market' })));
    expect(lines()).toMatchObject(expected.map((line) => ({ ...line, module: 'market' })));
    expect(lines()[1]!.msg).toBe('orders.get: retrying');
  });

  it('logs an error of the client as plain data, without secrets', async () => {
    const { stream, lines } = recordedLines();
    const { market } = mockMarket([errorResponse(422, 'price_mismatch')]);
    const order = { domain: 'brew.example', expected_price: 250_000 };
    const error = await rejectionOf(market.orders.create(order, { idempotencyKey: 'payment-1' }));
    pino(levels, stream).error({ sale: error.toJSON() }, 'the sale failed');
    expect(lines()[0]!.sale).toMatchObject({
      name: 'PriceMismatchError',
      outcome: 'rejected',
      idempotencyKey: 'payment-1',
    });
  });
});
