/** What a receiver must answer: deliveries of the service, and of strangers. */

import { createHmac } from 'node:crypto';
import { connect } from 'node:http2';

export const secret = 'whsec_frameworks';

/** Longer than a handler may take, and than a platform takes that forgets a request. */
const maxAnswerMs = 20_000;

const body = eventJson('Zoë ☕');
const pretty = `${JSON.stringify(JSON.parse(body), null, 2)}\n`;
const large = eventJson('x'.repeat(2 * 1024 * 1024));

/** In this order. The first three are of one event, which is handled once. */
export const deliveries = {
  signed: { expected: 200, body, signature: signed(body) },
  repeated: { expected: 200, body, signature: signed(body) },
  'pretty printed': { expected: 200, body: pretty, signature: signed(pretty) },
  forged: { expected: 401, body, signature: signed(`${body} `) },
  unsigned: { expected: 401, body },
  oversized: { expected: 413, body: large, signature: signed(large) },
  'no body': { expected: 400, signature: signed('') },
  GET: { expected: 405, method: 'GET' },
};

/** Resolves with the status of the response, or with why there is none. */
export async function deliver(url, { method = 'POST', body, signature }, { isHttp2 }) {
  // Each has a connection of its own, as a stranger has.
  const headers = isHttp2 ? {} : { connection: 'close' };
  if (body !== undefined) headers['content-type'] = 'application/json';
  if (signature !== undefined) headers['x-market-signature'] = signature;
  if (isHttp2) return deliverByHttp2(url, { method, body, headers });
  try {
    const signal = AbortSignal.timeout(maxAnswerMs);
    const response = await fetch(url, { method, headers, body, signal });
    await response.text();
    return response.status;
  } catch (error) {
    return error.name === 'TimeoutError' ? 'no response' : (error.cause?.code ?? error.message);
  }
}

async function deliverByHttp2(url, { method, body, headers }) {
  const session = connect(url);
  try {
    return await new Promise((resolve) => {
      session.on('error', ({ code }) => resolve(code));
      const stream = session.request({ ':method': method, ':path': url.pathname, ...headers });
      stream.on('response', ({ ':status': status }) => resolve(status));
      stream.on('error', ({ code }) => resolve(code));
      stream.setTimeout(maxAnswerMs, () => resolve('no response'));
      stream.end(body);
    });
  } finally {
    session.destroy();
  }
}

function signed(content) {
  return createHmac('sha256', secret).update(content).digest('hex');
}

function eventJson(note) {
  const order = {
    public_id: 'ord_1',
    domain: 'brew.example',
    status: 'SETTLED',
    sale_price_cents: 250_000,
    currency: 'USD',
  };
  return JSON.stringify({
    id: 'evt_1',
    type: 'order.settled',
    created_at: '2026-11-21T08:00:00Z',
    data: { order, note },
  });
}
