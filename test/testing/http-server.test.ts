import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fault, type Fault } from 'market-partner-sdk/testing';
import { freshEmulator, startOfTime } from './emulator-fixture.js';
import { sendRaw, signed } from './independent-signer.js';

const market = freshEmulator();
const path = '/api/partner/v1/orders';

const headersOf = () =>
  signed(market.emulator.createCredential(), {
    method: 'GET',
    path,
    timestamp: startOfTime / 1000,
  });

/** One signed GET over a real socket; its response, of which nothing was read yet. */
async function get(...faults: Fault[]): Promise<IncomingMessage> {
  market.emulator.faults.next(faults);
  const url = `${market.emulator.baseUrl}${path.slice('/api/partner/v1'.length)}`;
  const request = httpRequest(new URL(path, url), { headers: headersOf(), agent: false });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

describe('the service over a socket', () => {
  it('sends no body with a status that has none', async () => {
    const response = await get(fault.status(204));
    expect(response.headers['content-length']).toBeUndefined();
    expect(await response.toArray()).toEqual([]);
  });

  it('waits for a client that reads slower than a body is sent', async () => {
    const text = 'x'.repeat(4 * 1_048_576);
    const response = await get(fault.latency(1), fault.status(200, { body: text }));
    let length = 0;
    for await (const chunk of response) length += (chunk as Buffer).length;
    expect(length).toBe(text.length);
  });

  it('ends for a client that leaves in the middle of a body', async () => {
    const text = 'x'.repeat(64 * 1_048_576);
    const response = await get(fault.latency(1), fault.status(200, { body: text }));
    response.destroy();
    await market.emulator.stop();
    expect(response.complete).toBe(false);
  });

  it('has not seen a request whose client left in the middle of its body', async () => {
    const { hostname, port } = new URL(market.emulator.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n`);
    socket.write('Expect: 100-continue\r\n\r\n{');
    // The server has the request when it says "100 Continue".
    await once(socket, 'data');
    socket.destroy();
    await sendRaw(market.emulator.baseUrl, { method: 'GET', target: path, headers: headersOf() });
    expect(market.emulator.requests).toMatchObject([{ method: 'GET', status: 200 }]);
  });

  it('joins a header that was sent more than once', async () => {
    const request = httpRequest(new URL(path, market.emulator.baseUrl), { agent: false });
    request.setHeader('Set-Cookie', ['a=1', 'b=2']);
    request.setHeader('X-Market-Nonce', ['n1', 'n2']);
    request.end();
    await once(request, 'response');
    expect(market.emulator.requests[0]!.headers).toMatchObject({
      'set-cookie': 'a=1, b=2',
      'x-market-nonce': 'n1, n2',
    });
  });
});
