// A TLS peer that speaks HTTP/2, and HTTP/1.1 to those who ask for it. It ends an order's request at a
// moment and in a way that the path names, and remembers each nonce that it saw.

import { createSecureServer, constants } from 'node:http2';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../packed-project.mjs';

const {
  NGHTTP2_NO_ERROR: noError,
  NGHTTP2_INTERNAL_ERROR: internalError,
  NGHTTP2_REFUSED_STREAM: refusedStream,
  NGHTTP2_CANCEL: cancel,
} = constants;

export const moments = ['before-headers', 'after-headers', 'mid-body', 'after-body'];

const certificates = join(root, 'test/support/certificates');
export const ca = join(certificates, 'ca.crt');

/** Ends a request. After a GOAWAY the peer answers nothing on the connection, and closes it. */
const endings = {
  'goaway-below': goAway(noError, (id) => id - 2),
  'goaway-at': goAway(noError, (id) => id),
  'goaway-error-below': goAway(internalError, (id) => id - 2),
  'goaway-error-at': goAway(internalError, (id) => id),
  'rst-refused': (stream) => stream.close(refusedStream),
  'rst-cancel': (stream) => stream.close(cancel),
  'rst-internal': (stream) => stream.close(internalError),
  'session-close': (stream, session) => {
    session.close();
    stream.close(noError);
  },
  'socket-destroy': (_stream, session) => session.destroy(),
};
export const endingNames = Object.keys(endings);

function goAway(code, lastStream) {
  return (stream, session) => {
    if (session.destroyed) return; // the client has gone, with its whole response
    session.goaway(code, lastStream(stream.id));
    // What follows on the socket is the end of the connection, once the frame is out.
    setTimeout(() => session.destroy(), 30);
  };
}

const answer = JSON.stringify({
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'EXTERNALLY_PAID',
});
const headers = { 'content-type': 'application/json', 'content-length': answer.length };

/**
 * Paths are `/CELL/MOMENT/ENDING/TIMES/...`: of the orders of a cell, the first TIMES end in that way.
 */
export async function startPeer() {
  /** Of each cell, the nonces of its orders in the order of their arrival, and the protocols. */
  const cells = new Map();
  const server = createSecureServer({
    allowHTTP1: true,
    cert: readFileSync(join(certificates, 'server.crt')),
    key: readFileSync(join(certificates, 'server.key')),
  });
  const see = (path, nonce, protocol) => {
    const [, name, moment, ending, times] = path.split('/');
    if (!cells.has(name)) cells.set(name, { nonces: [], protocols: new Set() });
    const cell = cells.get(name);
    cell.nonces.push(nonce);
    cell.protocols.add(protocol);
    return cell.nonces.length <= Number(times) ? { moment, end: endings[ending] } : {};
  };
  server.on('session', (session) => session.on('error', () => {}));
  server.on('sessionError', () => {});
  server.on('stream', (stream, given) => {
    stream.on('error', () => {});
    const { session } = stream; // the stream has none once it is closed
    const played =
      given[':method'] === 'POST' ? see(given[':path'], given['x-market-nonce'], 'h2') : {};
    const respond = () => stream.respond({ ':status': 200, ...headers });
    if (played.moment === 'before-headers') {
      played.end(stream, session);
      return;
    }
    stream.resume();
    stream.on('end', () => {
      if (stream.destroyed) return;
      respond();
      if (played.end === undefined) stream.end(answer);
      else
        play(played, {
          write: (part) => stream.write(part),
          end: () => played.end(stream, session),
          finish: (then) => stream.end(answer, then),
        });
    });
  });
  server.on('request', (request, response) => {
    if (request.httpVersion === '2.0') return;
    const played =
      request.method === 'POST' ? see(request.url, request.headers['x-market-nonce'], 'h1') : {};
    const destroy = () => request.socket.destroy();
    if (played.moment === 'before-headers') {
      destroy();
      return;
    }
    request.resume();
    request.on('end', () => {
      response.writeHead(200, headers);
      if (played.end === undefined) response.end(answer);
      else {
        response.flushHeaders();
        play(played, {
          write: (part) => response.write(part),
          end: destroy,
          finish: (then) => response.end(answer, then),
        });
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${server.address().port}`,
    cell: (name) => cells.get(name) ?? { nonces: [], protocols: new Set() },
    close: () => server.close(),
  };
}

function play({ moment }, { write, end, finish }) {
  if (moment === 'after-body') {
    finish(end);
    return;
  }
  if (moment === 'mid-body') write(answer.slice(0, 20));
  setTimeout(end, 20); // the client reads first what came before
}
