/** Each way in which a delivery to a webhook handler on node:http ends. */

import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { createWebhookHandler, RecentEvents, signWebhook } from 'market-partner-sdk/webhooks';
import { serve } from './serve.mjs';

const secret = 'whsec_of_these_tests';
const maxBytes = 4_096;

export const deliveryWays = {
  'a delivery, accepted': async (t) => {
    const deliver = await receiver(t, { deduplicate: new RecentEvents({ maxEvents: 100 }) });
    return () => deliver({ body: eventJson(), expected: 200 });
  },
  'a delivery, refused for its signature': async (t) => {
    const deliver = await receiver(t);
    return () => deliver({ body: eventJson(), signedWith: 'whsec_of_another', expected: 401 });
  },
  'a delivery, too large by its Content-Length': async (t) => {
    const deliver = await receiver(t);
    const body = 'x'.repeat(2 * maxBytes);
    return () => deliver({ body, expected: 413 });
  },
  'a delivery, too large in chunks': async (t) => {
    const deliver = await receiver(t);
    const body = 'x'.repeat(2 * maxBytes);
    return () => deliver({ body, headers: { 'transfer-encoding': 'chunked' }, expected: 413 });
  },
  'a delivery, aborted by its sender': async (t) => {
    const deliver = await receiver(t);
    return () => deliver({ body: '{', headers: unfinished, abortAfterMs: 2 });
  },
  'a delivery, aborted by its sender while its listener runs': async (t) => {
    const deliver = await receiver(t, { onEvent: untilAborted });
    return () => deliver({ body: eventJson(), abortAfterMs: 4 });
  },
  'a delivery, timed out in its body': async (t) => {
    const deliver = await receiver(t, { timeoutMs: 5 });
    return () => deliver({ body: '{', headers: unfinished, expected: 503 });
  },
  'a delivery, timed out in its listener': async (t) => {
    const deliver = await receiver(t, { timeoutMs: 5, onEvent: untilAborted });
    return () => deliver({ body: eventJson(), expected: 503 });
  },
};

/** More than what is sent: the body does not end. */
const unfinished = { 'content-length': '100' };

function untilAborted(_event, { signal }) {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** A handler behind a server. Returns the function that sends it a delivery. */
async function receiver(t, options) {
  const handler = createWebhookHandler({
    secret,
    onEvent: () => undefined,
    onError: () => undefined,
    maxBytes,
    ...options,
  });
  const url = await serve(t, createServer(handler.node));
  const agent = new Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  return (delivery) => send({ url, agent, ...delivery });
}

async function send({ url, agent, body, signedWith = secret, headers, expected, abortAfterMs }) {
  const sent = request(url, {
    method: 'POST',
    agent,
    headers: {
      'content-type': 'application/json',
      'x-market-signature': signWebhook(body, signedWith),
      ...(headers ?? { 'content-length': String(Buffer.byteLength(body)) }),
    },
  });
  // A refused body is answered before it was sent, and the rest of it may meet a closed connection.
  sent.on('error', () => undefined);
  sent.write(body);
  if (headers !== unfinished) sent.end();
  if (abortAfterMs !== undefined) {
    setTimeout(() => sent.destroy(), abortAfterMs);
    // once() would reject with the error of the abort.
    await new Promise((resolve) => sent.once('close', resolve));
    return;
  }
  const status = await statusOf(sent);
  if (status !== expected) throw new Error(`the response was ${status}, not ${expected}`);
}

/** The status of the response, once the exchange has ended. */
async function statusOf(sent) {
  const [response] = await once(sent, 'response');
  response.on('error', () => undefined).resume();
  await once(response, 'close');
  sent.destroy();
  return response.statusCode;
}

let events = 0;

function eventJson() {
  events += 1;
  return JSON.stringify({
    id: `evt_${events}`,
    type: 'order.settled',
    created_at: new Date().toISOString(),
    data: { order: { public_id: 'ord_1' } },
  });
}
