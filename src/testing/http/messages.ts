/** Requests and responses between the transports and the service. */

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parseUrl } from '../../core/parse-url.js';

/** A request that a server received. Node's type also covers a client's response, which has neither field. */
export interface ServerRequest extends IncomingMessage {
  method: string;
  url: string;
}

/** The emulator's URL for a caller that reached it at this origin; its own for `undefined`. */
export type BaseUrlFor = (origin?: string) => string;

/**
 * Scheme, host and port that the caller used: behind a mapped port, or by a name of its network, they are not
 * those that the emulator listens on. TLS ends in front of it: only its option `publicUrl` says "https".
 */
export function originOf({ host }: IncomingHttpHeaders): string | undefined {
  return host === undefined ? undefined : parseUrl(`http://${host}`)?.origin;
}

/** A request as it came over the wire, nothing decoded. */
export interface RawRequest {
  /** Of the address that the caller used; absent if it is not known, and for a function call. */
  readonly origin?: string | undefined;
  readonly method: string;
  /** The path exactly as in the request line, percent-encoding untouched. */
  readonly rawPath: string;
  /** The query exactly as in the request line, without the `?`; empty if there is none. */
  readonly rawQuery: string;
  /** Names in lower case; repeated headers joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the body was longer than {@link maxBodyBytes}; then `body` is its beginning. */
  readonly bodyTooLarge: boolean;
  /** SHA-256 of the whole body in hex, if `body` is only its beginning. */
  readonly bodySha256?: string;
}

/** A response of the service. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Code and message of the body, if it is an error of the service. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** How a response is put on the wire. */
export type DeliveryMode =
  | { readonly kind: 'whole' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'slow'; readonly chunkBytes: number; readonly everyMs: number }
  | { readonly kind: 'endless'; readonly everyMs: number };

/** A response, how it is sent, and its delay. */
export interface ScheduledResponse {
  readonly response: ServiceResponse;
  readonly mode: DeliveryMode;
  /** Real milliseconds before the first byte; `Infinity` is never. */
  readonly delayMs: number;
}

/** The largest request body that the service reads, in bytes. */
export const maxBodyBytes = 1_048_576;

/** Statuses whose responses have no body. */
export const statusesWithoutBody: readonly number[] = [204, 205, 304];

/** Splits a raw request target; nothing is decoded or resolved. */
export function splitTarget(target: string): { rawPath: string; rawQuery: string } {
  const originForm = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/is.exec(target)?.[1] ?? target;
  const [beforeFragment = ''] = originForm.split('#', 1);
  const mark = beforeFragment.indexOf('?');
  const rawPath = mark === -1 ? beforeFragment : beforeFragment.slice(0, mark);
  return {
    rawPath: rawPath === '' ? '/' : rawPath,
    rawQuery: mark === -1 ? '' : beforeFragment.slice(mark + 1),
  };
}
