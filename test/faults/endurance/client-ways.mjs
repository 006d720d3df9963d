/**
 * Each way in which a client's connection or call ends. A way is a function that prepares what it needs and
 * returns the call to repeat; `t.after` receives what to stop in the end.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer as createTcpServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { MarketClient } from 'market-partner-sdk';
import { serve } from './serve.mjs';

const body = JSON.stringify({ public_id: 'ord_1', domain: 'brew.example', status: 'PAID' });

export const clientWays = {
  'kept alive': async (t) => calls(t, await serve(t, createHttpServer(respond))),
  'closed by the service': async (t) => calls(t, await serve(t, createHttpServer(respondAndClose))),
  'closed by the service, TLS': async (t) => calls(t, await serveTls(t)),
  'closed by the service, behind a proxy': async (t) =>
    calls(t, await serve(t, createHttpServer(respondAndClose)), { proxy: await serveProxy(t) }),
  'reset by the service': async (t) =>
    failingCalls(
      t,
      await serve(
        t,
        createHttpServer(({ socket }) => socket.resetAndDestroy()),
      ),
    ),
  'a response that is not HTTP': async (t) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end('hello\r\n\r\n'));
    });
    return failingCalls(t, await serve(t, server));
  },
  refused: async (t) => failingCalls(t, await deadAddress()),
  'refused by the proxy': async (t) => {
    const refusing = createHttpServer().on('connect', (_request, socket) => {
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
    });
    const proxy = await serve(t, refusing);
    return failingCalls(t, 'http://127.0.0.1:9', { proxy });
  },
  // Calls that wait for one of the client's connections end with their deadline.
  'timed out while connecting': async (t) =>
    failingCalls(t, await unreachableAddress(t), { deadlineMs: 5 }),
  'timed out while connecting to the proxy': async (t) =>
    failingCalls(t, 'http://127.0.0.1:9', { deadlineMs: 5, proxy: await unreachableAddress(t) }),
  'timed out in the TLS handshake': async (t) => {
    const silent = createTcpServer((socket) => socket.on('error', () => undefined).resume());
    const baseUrl = (await serve(t, silent)).replace('http:', 'https:');
    return failingCalls(t, baseUrl, { deadlineMs: 5 });
  },
  'timed out before the response': async (t) =>
    failingCalls(
      t,
      await serve(
        t,
        createHttpServer((request) => request.resume()),
      ),
      {
        timeoutMs: 5,
      },
    ),
  'aborted by the caller': async (t) => {
    const { market } = client(
      t,
      await serve(
        t,
        createHttpServer((request) => request.resume()),
      ),
    );
    return async () => {
      const controller = new AbortController();
      const call = market.orders.get('ord_1', { signal: controller.signal });
      setTimeout(() => controller.abort(), 2);
      await failureOf(call);
    };
  },
  'with a signal that never fires': async (t) => {
    const { signal } = new AbortController();
    const { market } = client(t, await serve(t, createHttpServer(respond)));
    return () => market.orders.get('ord_1', { signal });
  },
  'by fetch': async (t) =>
    calls(t, await serve(t, createHttpServer(respondAndClose)), { fetch: globalThis.fetch }),
  'of a client made by withOptions': async (t) => {
    const { market } = client(t, await serve(t, createHttpServer(respond)));
    return () => market.withOptions({ timeoutMs: 1_000 }).orders.get('ord_1');
  },
  'of a client of its own, closed after it': async (t) => {
    const baseUrl = await serve(t, createHttpServer(respond));
    return async () => {
      const market = new MarketClient({ ...credential, baseUrl });
      await market.orders.get('ord_1');
      await market.close();
    };
  },
};

const credential = { keyId: 'mk_sandbox_1f0c', secret: 'the-secret-of-these-tests' };

function client(t, baseUrl, options = {}) {
  const market = new MarketClient({ ...credential, baseUrl, maxRetries: 0, ...options });
  t.after(() => market.close());
  return { market };
}

function calls(t, baseUrl, options) {
  const { market } = client(t, baseUrl, options);
  return () => market.orders.get('ord_1');
}

function failingCalls(t, baseUrl, options) {
  const call = calls(t, baseUrl, options);
  return () => failureOf(call());
}

async function failureOf(call) {
  const failed = await call.then(
    () => false,
    () => true,
  );
  if (!failed) throw new Error('the call should have failed');
}

function respond(_request, response) {
  response.end(body);
}

function respondAndClose(_request, response) {
  response.writeHead(200, { connection: 'close' }).end(body);
}

async function serveTls(t) {
  const file = (name) =>
    readFileSync(new URL(`../../support/certificates/${name}`, import.meta.url));
  const server = createHttpsServer(
    { key: file('server.key'), cert: file('server.crt') },
    respondAndClose,
  );
  return (await serve(t, server)).replace('http:', 'https:');
}

/** A proxy that tunnels every CONNECT. */
function serveProxy(t) {
  const server = createHttpServer().on('connect', (request, near) => {
    const [host, port] = request.url.split(':');
    const far = connect(Number(port), host, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      one.on('error', () => undefined).on('close', () => other.destroy());
    }
  });
  return serve(t, server);
}

async function deadAddress() {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

/** An address that never completes a connection: a thread that listens, and sleeps with its queue full. */
async function unreachableAddress(t) {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 20);
    });`,
    { eval: true },
  );
  const [port] = await once(worker, 'message');
  await new Promise((resolve) => setTimeout(resolve, 100));
  const fillers = Array.from({ length: 4 }, () =>
    connect(port, '127.0.0.1').on('error', () => undefined),
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  t.after(async () => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  });
  return `http://127.0.0.1:${port}`;
}
