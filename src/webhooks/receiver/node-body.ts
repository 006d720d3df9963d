/** The raw body of a node request: what a framework has kept of it, or the stream itself. */

import { alreadyConsumed } from '../raw-body.js';
import { boundedBytes, BoundedBytes, refuseAnnounced } from './bounded-body.js';
import type { NodeWebhookRequest } from './node-door.js';

/** Reads the body, or refuses one that is too large or that somebody else has read. */
export function readNodeBody(request: NodeWebhookRequest, maxBytes: number): unknown {
  refuseAnnounced(request.headers['content-length'], maxBytes);
  const kept = keptBody(request.rawBody, maxBytes) ?? keptBody(request.body, maxBytes);
  if (kept !== undefined) return kept;
  if (request.readableDidRead === true || request.readableEnded === true) throw alreadyConsumed();
  if (request.destroyed === true) throw brokenOff();
  return readStream(request, maxBytes);
}

/** Bytes or text that a middleware has kept; a parsed body is none. */
function keptBody(body: unknown, maxBytes: number): Uint8Array | undefined {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body)) return undefined;
  const bytes = boundedBytes(body, maxBytes);
  return bytes.byteLength === 0 ? undefined : bytes;
}

/** Ends with the stream, which `drain` destroys when a body does not end in time. */
function readStream(request: NodeWebhookRequest, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const bytes = new BoundedBytes(maxBytes);
    const fail = (error: unknown) => {
      settle();
      reject(error instanceof Error ? error : brokenOff());
    };
    const listeners: Readonly<Record<string, (value: unknown) => void>> = {
      data: (chunk) => {
        try {
          bytes.add(chunk);
        } catch (error) {
          fail(error);
        }
      },
      end: () => {
        settle();
        resolve(bytes.toBytes());
      },
      error: fail,
      close: fail,
    };
    const settle = () => {
      for (const [event, listener] of Object.entries(listeners)) {
        request.removeListener(event, listener);
      }
    };
    for (const [event, listener] of Object.entries(listeners)) request.on(event, listener);
  });
}

function brokenOff(): Error {
  return new Error('The sender closed the connection before the body was complete.');
}
