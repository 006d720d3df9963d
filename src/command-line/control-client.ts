/** Calls of a running emulator's control API. */

import { parseArgs } from 'node:util';
import { printable, UsageError, type Terminal } from './terminal.js';

const timeoutMs = 30_000;

/** The options that every command for a running emulator has. */
const controlOptions = {
  url: { type: 'string' },
  'control-token': { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

export const controlUsage = `  --url <url>              the emulator; MARKET_BASE_URL unless given, else port 4010 here
  --control-token <text>   its control token, if it has one
  --json                   print the response as JSON
`;

export interface ControlClient {
  /** Scheme, host and port of the emulator. */
  readonly origin: string;
  readonly get: (path: string) => Promise<unknown>;
  readonly post: (path: string, body?: object) => Promise<unknown>;
}

/** Splits the arguments of a command into its own options and a client of the emulator. */
export function parseControlArgs<
  Options extends NonNullable<Parameters<typeof parseArgs>[0]>['options'] & object,
>(args: readonly string[], options: Options) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...options, ...controlOptions },
  });
}

export function controlClient(
  values: { readonly url?: string | undefined; readonly 'control-token'?: string | undefined },
  { env = {}, stop }: Terminal,
): ControlClient {
  const base = values.url ?? env.MARKET_BASE_URL ?? 'http://127.0.0.1:4010';
  // "localhost:4010" is a valid URL too: its scheme is "localhost".
  if (!URL.canParse(base) || !/^https?:$/.test(new URL(base).protocol)) {
    const name = values.url === undefined ? 'MARKET_BASE_URL' : '"--url"';
    throw new UsageError(`${name} must be an http or https address, such as http://127.0.0.1:4010`);
  }
  const { origin } = new URL(base);
  const token = values['control-token'];
  const call = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const response = await fetch(`${origin}/_emulator/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // An emulator never redirects: what does is the service, or a page in between.
      redirect: 'error',
      // An emulator that hangs would hold the command for minutes.
      signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
    }).catch((error: unknown) => {
      if (stop.aborted) throw new Error('Stopped before the emulator responded.');
      throw new Error(`There is no emulator at ${origin}: ${causeOf(error)}`);
    });
    const text = await response.text();
    const content = parseJson(text);
    if (response.ok && content !== undefined) return content;
    const { message = `${origin} has no control API (status ${response.status})` } = (content ??
      {}) as {
      message?: string;
    };
    throw new Error(printable(message));
  };
  return {
    origin,
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, body),
  };
}

function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error && cause.message !== '' ? cause.message : String(error);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
