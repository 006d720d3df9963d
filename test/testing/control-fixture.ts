/** An emulator that is driven over HTTP. */

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import { MarketEmulator, type EmulatorOptions } from 'market-partner-sdk/testing';
import { startOfTime } from './emulator-fixture.js';
import { caller } from './independent-signer.js';

export type Json = Record<string, unknown> & { code: string; message: string };

/** An emulator with control, on a clock that stands still, and ways to drive it. */
export async function start(options: EmulatorOptions = {}) {
  const emulator = await MarketEmulator.start({
    clock: () => startOfTime,
    control: true,
    seed: 1,
    ...options,
  });
  onTestFinished(() => emulator.stop());
  const { port } = new URL(emulator.baseUrl);
  const send = (method: string, path: string, body?: unknown, headers: object = {}) =>
    raw(Number(port), method, `/_emulator/v1${path}`, body, headers);
  return {
    emulator,
    port: Number(port),
    send,
    get: async (path: string) => (await send('GET', path)).json,
    post: async (path: string, body: unknown = {}) => (await send('POST', path, body)).json,
    call: caller(emulator, emulator.createCredential()),
  };
}

/** Sends a request exactly as given. */
export async function raw(
  port: number,
  method: string,
  path: string,
  body?: unknown,
  headers = {},
) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const request = httpRequest({ host: '127.0.0.1', port, method, path, agent: false });
  const sent = text === undefined ? {} : { 'content-type': 'application/json' };
  for (const [name, value] of Object.entries({ ...sent, ...headers })) {
    request.setHeader(name, value);
  }
  request.end(text);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const content = Buffer.concat(chunks).toString('utf8');
  const json = JSON.parse(content) as Json;
  return { status: response.statusCode, headers: response.headers, text: content, json };
}
