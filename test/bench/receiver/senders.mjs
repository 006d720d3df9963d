// Fifty senders on loopback that cost less than any receiver: requests are written before the
// measurement, and of a response only its status and its end are read.

import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { settledEvent } from '../settled-event.mjs';
import { secret } from './servers.mjs';

const newest = Math.floor(Date.now() / 1000) + 36_000;
const hex = (text) => createHmac('sha256', secret).update(text).digest('hex');

/** Requests with 1.2 kB bodies, each with an id of its own, signed as both services sign. */
export function signedRequests(count, first = 0) {
  return Array.from({ length: count }, (_, at) => {
    const body = settledEvent(`evt_${first + at}`, 'x'.repeat(940));
    return Buffer.from(
      'POST /webhooks/market HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
        `X-Market-Signature: ${hex(body)}\r\n` +
        // Dated ahead, since constructEvent refuses what is older than five minutes.
        `Stripe-Signature: t=${newest},v1=${hex(`${newest}.${body}`)}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

/** Sends the requests over so many connections and resolves with the seconds that it took. */
export async function send(port, requests, connections) {
  let next = 0;
  const started = process.hrtime.bigint();
  await Promise.all(
    Array.from({ length: connections }, () => sendOverOne(port, () => requests[next++])),
  );
  return Number(process.hrtime.bigint() - started) / 1e9;
}

function sendOverOne(port, take) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let received = '';
    const sendNext = () => {
      const request = take();
      if (request === undefined) socket.end(resolve);
      else socket.write(request);
    };
    socket.on('connect', sendNext);
    socket.on('error', reject);
    socket.on('data', (bytes) => {
      received += bytes.latin1Slice();
      // Each receiver answers 200 with the two bytes of OK, chunked or not.
      if (!received.includes('OK')) return;
      if (!received.startsWith('HTTP/1.1 200')) socket.destroy(new Error(received));
      received = '';
      sendNext();
    });
  });
}

/**
 * Opens connections that announce a body without a signature and keep back its last byte. Resolves
 * when nothing is answered or written any more.
 */
export async function openUnfinished(port, count, bytes, usage) {
  const head = `POST /webhooks/market HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${bytes}\r\n\r\n`;
  const body = Buffer.alloc(bytes - 1, 120);
  let answered = 0;
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.write(head);
      socket.write(body);
    });
    socket.on('error', () => undefined);
    socket.once('data', () => (answered += 1));
    return socket;
  });
  let mostRssMb = 0;
  for (let sample = 0; sample < 40; sample += 1) {
    await sleep(50);
    mostRssMb = Math.max(mostRssMb, (await usage()).rssMb);
  }
  return { mostRssMb, answered, close: () => sockets.forEach((socket) => socket.destroy()) };
}
