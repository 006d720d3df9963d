/** Bodies that a server encodes although none was asked for. */

import * as zlib from 'node:zlib';
import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { PriceMismatchError, type ClientOptions } from 'market-partner-sdk';
import { clientOf } from '../../support/client.js';
import { rejectionOf } from '../../support/errors.js';
import { okRead } from '../../support/mock-market.js';
import { RawServer } from '../../support/raw-server.js';

type Encode = (bytes: Buffer) => Buffer;
const { zstdCompressSync: zstd } = zlib as { zstdCompressSync?: Encode };

const encodings: [string, Encode][] = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['GZIP', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
  ['identity', (bytes) => bytes],
  ['gzip, identity', zlib.gzipSync],
  ['deflate, gzip', (bytes) => zlib.gzipSync(zlib.deflateSync(bytes))],
  ['br,gzip', (bytes) => zlib.gzipSync(zlib.brotliCompressSync(bytes))],
  ...(zstd === undefined ? [] : ([['zstd', zstd]] as [string, Encode][])),
];

function serve(status: number, encoding: string, body: Buffer) {
  return RawServer.start((socket) => {
    socket.write(
      `HTTP/1.1 ${status} Said\r\ncontent-type: application/json\r\n` +
        `content-encoding: ${encoding.split(', gzip').join('\r\ncontent-encoding: gzip')}\r\n` +
        `content-length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
  });
}

const input = { domain: 'brew.example', expected_price: 250_000 };
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

it('a fetch function has decoded the body already', async () => {
  const server = await serve(200, 'gzip', zlib.gzipSync(json(okRead)));
  const market = clientOf({ baseUrl: server.baseUrl, maxRetries: 0, fetch });
  await expect(market.orders.get('ord_1001')).resolves.toEqual(okRead);
});

describe.each<[string, () => ClientOptions]>([
  ['the own agent', () => ({})],
  ['an agent of the caller', () => ({ dispatcher: new Agent() })],
])('over %s', (_way, options) => {
  it.each(encodings)('%s is decoded', async (encoding, encode) => {
    const server = await serve(200, encoding, encode(json(okRead)));
    const market = clientOf({ baseUrl: server.baseUrl, maxRetries: 0, ...options() });
    await expect(market.orders.get('ord_1001')).resolves.toEqual(okRead);
  });

  it.each(encodings)('a refusal in %s is one', async (encoding, encode) => {
    const server = await serve(422, encoding, encode(json({ code: 'price_mismatch' })));
    const market = clientOf({ baseUrl: server.baseUrl, ...options() });
    const error = await rejectionOf(market.orders.create(input));
    expect(error).toBeInstanceOf(PriceMismatchError);
    expect(error).toMatchObject({ outcome: 'rejected', attempts: 1 });
  });

  it.each(encodings)('%s may name a body that a proxy has decoded', async (encoding) => {
    const order = await serve(200, encoding, json(okRead));
    const market = clientOf({ baseUrl: order.baseUrl, maxRetries: 0, ...options() });
    await expect(market.orders.get('ord_1001')).resolves.toEqual(okRead);
    const { baseUrl } = await serve(422, encoding, json({ code: 'price_mismatch' }));
    const error = await rejectionOf(clientOf({ baseUrl, ...options() }).orders.create(input));
    expect(error).toMatchObject({ name: 'PriceMismatchError', outcome: 'rejected' });
  });

  it.each<[number, object, string]>([
    [200, { name: 'ConnectionError', attempts: 1 }, 'longer than'],
    // An error keeps its status.
    [404, { name: 'NotFoundError' }, '404'],
  ])('a small body of %i that grows beyond the limit is not read', async (status, facts, words) => {
    const bomb = zlib.gzipSync(Buffer.alloc(40 * 1024 * 1024, ' '));
    const { baseUrl } = await serve(status, 'gzip', bomb);
    const error = await rejectionOf(clientOf({ baseUrl, ...options() }).orders.get('ord_1001'));
    expect(error).toMatchObject(facts);
    expect(error.message).toContain(words);
  });

  it('a body that is cut off is read again', async () => {
    const whole = zlib.gzipSync(json(okRead));
    let turn = 0;
    const server = await RawServer.start((socket) => {
      const body = (turn += 1) === 1 ? whole.subarray(0, whole.length - 12) : whole;
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      socket.write(body);
    });
    const market = clientOf({ baseUrl: server.baseUrl, random: () => 0, ...options() });
    await expect(market.orders.get('ord_1001')).resolves.toEqual(okRead);
    expect(turn).toBe(2);
  });
});

describe('an encoding that is not known', () => {
  it.each(['compress', 'gzip, aes128gcm', Array.from({ length: 9 }, () => 'gzip').join(',')])(
    '%s leaves the body as it is',
    async (encoding) => {
      const server = await serve(200, encoding, Buffer.from('\x1f\x9d is not JSON', 'latin1'));
      const market = clientOf({ baseUrl: server.baseUrl, maxRetries: 0 });
      expect(await rejectionOf(market.orders.get('ord_1001'))).toMatchObject({
        name: 'UnexpectedResponseError',
        body: expect.stringContaining('is not JSON') as string,
      });
    },
  );
});
