/** A partner's client in forty lines, written from the specification and sharing nothing with src. */

import { createHash, createHmac, randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { EmulatorCredential, MarketEmulator } from 'market-partner-sdk/testing';

export interface Signing {
  readonly method: string;
  readonly path: string;
  /** Canonical already, or with its pairs in any order. */
  readonly query?: string;
  readonly body?: string | Buffer;
  readonly timestamp?: number | string;
  readonly nonce?: string;
}

/** The four headers for a request (specification, part 5). */
export function signed(
  { keyId, secret }: Pick<EmulatorCredential, 'keyId' | 'secret'>,
  {
    method,
    path,
    query = '',
    body = '',
    timestamp = seconds(Date.now()),
    nonce = randomUUID(),
  }: Signing,
): Record<string, string> {
  const unsigned = method === 'GET' || method === 'HEAD';
  const hash = createHash('sha256')
    .update(unsigned ? '' : body)
    .digest('hex');
  const lines = [method.toUpperCase(), path, canonical(query), String(timestamp), nonce, hash];
  const mac = createHmac('sha256', secret).update(lines.join('\n'), 'utf8').digest('hex');
  return {
    'X-Market-Key-Id': keyId,
    'X-Market-Timestamp': String(timestamp),
    'X-Market-Nonce': nonce,
    'X-Market-Signature': `v1=${mac}`,
  };
}

function canonical(query: string): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return [...new URLSearchParams(query)]
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([key, value]) => `${encode(key)}=${encode(value)}`)
    .join('&');
}

export function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: Wire;
}

/** Every field that a test looks into. An answer has some of them; which, the test finds out. */
export interface Wire {
  readonly [field: string]: unknown;
  readonly code: string;
  readonly message: string;
  readonly details: Wire;
  readonly transfer: Wire;
  readonly data: readonly Wire[];
  readonly events: readonly Wire[];
  readonly timeline: readonly Wire[];
  readonly next_cursor: string | null;
  readonly id: string;
  readonly public_id: string;
  readonly domain: string;
  readonly status: string;
  readonly event: string;
  readonly quote_id: string;
  readonly quote_token: string;
  readonly session_id: string;
  readonly checkout_url: string;
  readonly case_id: string;
  readonly progress_url: string;
  readonly link_id: string;
  readonly url: string;
  readonly canonical_string: string;
}

function wire(text: string): Wire {
  try {
    return JSON.parse(text) as Wire;
  } catch {
    return undefined as unknown as Wire;
  }
}

export interface CallOptions {
  readonly body?: unknown;
  readonly key?: string;
  readonly nonce?: string;
  readonly timestamp?: number | string;
  /** Replace or, with `undefined`, remove headers after signing. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** Calls the emulator's function form: `call('GET /pricing?domain=brew.example')`. */
export function caller(emulator: MarketEmulator, credential: EmulatorCredential) {
  return async (what: string, options: CallOptions = {}): Promise<Reply> => {
    const [method = '', target = ''] = what.split(' ');
    const [relative = '', query = ''] = target.split('?');
    const path = relative.startsWith('/api/') ? relative : `/api/partner/v1${relative}`;
    const body =
      options.body === undefined
        ? undefined
        : typeof options.body === 'string'
          ? options.body
          : JSON.stringify(options.body);
    const { timestamp = seconds(emulator.clock.now()), nonce, key, signal } = options;
    const headers = new Headers(
      signed(credential, {
        method,
        path,
        query,
        timestamp,
        ...(body === undefined ? {} : { body }),
        ...(nonce === undefined ? {} : { nonce }),
      }),
    );
    if (key !== undefined) headers.set('Idempotency-Key', key);
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      if (value === undefined) headers.delete(name);
      else headers.set(name, value);
    }
    const response = await emulator.fetch(
      new Request(`http://market.example${path}${query === '' ? '' : `?${query}`}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
    const text = await response.text();
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
      json: wire(text),
    };
  };
}

/** Sends a request over a real socket exactly as given: nothing is normalised on the way. */
export function sendRaw(
  baseUrl: string,
  request: {
    readonly method: string;
    readonly target: string;
    readonly headers: Record<string, string>;
    readonly body?: Buffer | string;
  },
): Promise<Reply> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const { method, target, headers, body = '' } = request;
    const sent = httpRequest(
      {
        hostname,
        port,
        method,
        path: target,
        agent: false,
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            text,
            json: wire(text),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
