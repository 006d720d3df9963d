/** What a body in chunks of one byte costs while it arrives. */

import type { Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { Cancellation } from '../../../src/client/transport/cancellation.js';
import { fetchTransport } from '../../../src/client/transport/fetch.js';
import type { Transport, TransportResult } from '../../../src/client/transport/transport.js';
import { undiciTransport } from '../../../src/client/transport/undici.js';
import { collectGarbage } from '../../support/garbage.js';

const bodyBytes = 1_000_000;
const request = {
  origin: 'https://market.example',
  target: '/api/partner/v1/orders',
  method: 'GET',
  headers: {},
  body: undefined,
};

function memory(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A chunk of its own memory, as a socket gives it. */
function tinyChunk(): Uint8Array {
  return new Uint8Array([0x20]);
}

function send(transport: Transport): Promise<TransportResult> {
  return new Promise((resolve) => transport.send(request, new Cancellation(), resolve));
}

async function arriveByUndici(): Promise<{ growth: number; result: TransportResult }> {
  let handler: Required<Dispatcher.DispatchHandler> | undefined;
  const dispatch = (_options: never, given: never) => {
    handler = given;
    return true;
  };
  const sent = send(undiciTransport({ dispatcher: { dispatch } }));
  await new Promise((resolve) => setImmediate(resolve));
  const controller = {} as Dispatcher.DispatchController;
  handler!.onRequestStart(controller, {});
  handler!.onResponseStart(controller, 200, {});
  const before = memory();
  for (let at = 0; at < bodyBytes; at += 1) {
    handler!.onResponseData(controller, tinyChunk() as Buffer);
  }
  const growth = memory() - before;
  handler!.onResponseEnd(controller, {});
  return { growth, result: await sent };
}

async function arriveByFetch(): Promise<{ growth: number; result: TransportResult }> {
  let [left, before, growth] = [bodyBytes, 0, 0];
  const read = () => {
    if (left === bodyBytes) before = memory();
    if (left === 0) growth = memory() - before;
    left -= 1;
    return Promise.resolve(left < 0 ? { done: true } : { done: false, value: tinyChunk() });
  };
  const body = { getReader: () => ({ read, cancel: () => Promise.resolve() }) };
  const fetch = () => Promise.resolve({ status: 200, headers: new Headers(), body });
  return { result: await send(fetchTransport(fetch)), growth };
}

it.each([
  ['undici', arriveByUndici],
  ['fetch', arriveByFetch],
])('a body of a million chunks by %s takes at most twice its bytes', async (_name, arrive) => {
  const { growth, result } = await arrive();
  expect(growth).toBeLessThan(2 * bodyBytes);
  expect(result).toMatchObject({ status: 200, body: { byteLength: bodyBytes } });
});
