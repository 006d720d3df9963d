/** Calls of a running emulator's control API, and the options that say which emulator. */

import type { Command } from 'commander';
import { parseJson } from '../core/json.js';
import { localFetch } from './local-fetch.js';
import { printable, UsageError, type Terminal } from './terminal.js';
import { httpAddress } from './values.js';

const timeoutMs = 30_000;

/** What every command for a running emulator takes. */
export interface ControlOptions {
  readonly url?: string;
  readonly controlToken?: string;
  readonly json?: boolean;
}

export interface ControlClient {
  /** Scheme, host and port of the emulator. */
  readonly origin: string;
  readonly get: (path: string) => Promise<unknown>;
  readonly post: (path: string, body?: object) => Promise<unknown>;
}

export function addControlOptions(command: Command): Command {
  return command
    .option(
      '--url <url>',
      'the emulator; MARKET_BASE_URL unless given, else port 4010 here',
      httpAddress,
    )
    .option('--control-token <text>', 'its control token, if it has one')
    .option('--json', 'print the response as JSON');
}

export function controlClient(
  { url, controlToken }: ControlOptions,
  { env = {}, stop }: Terminal,
): ControlClient {
  const { origin } = new URL(url ?? addressOf(env.MARKET_BASE_URL ?? 'http://127.0.0.1:4010'));
  const call = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const response = await localFetch(`${origin}/_emulator/v1${path}`, {
      method,
      headers: {
        ...(controlToken === undefined ? {} : { authorization: `Bearer ${controlToken}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // An emulator that hangs would hold the command for minutes.
      signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
    }).catch((error: unknown) => {
      if (stop.aborted) throw new Error('Stopped before the emulator responded.');
      throw new Error(`There is no emulator at ${origin}: ${causeOf(error)}`);
    });
    // An emulator never redirects: what does is the service, or a page in between.
    if (response.status >= 300 && response.status < 400) {
      throw new Error(`There is no emulator at ${origin}: it answers with a redirect.`);
    }
    const text = await response.text();
    const content = parseJson(text);
    if (response.ok && content !== undefined) return content;
    // The control API has no such header: the request went through to the service.
    if (response.headers.has('x-request-id')) {
      throw new Error(
        (await isEmulator(origin, timeoutMs))
          ? `The emulator at ${origin} has no control over HTTP. Start it without --no-control, with --control-token <text> if it listens for others; in a program, with control: true.`
          : `${origin} is the service, and no emulator: --url or MARKET_BASE_URL must name an emulator.`,
      );
    }
    const { code, message: said } = (content ?? {}) as { code?: string; message?: string };
    const message = printable(said ?? `${origin} has no control API (status ${response.status})`);
    if (code === 'wrong_token') {
      throw new UsageError(
        controlToken === undefined
          ? `the emulator at ${origin} has a control token. Pass it with --control-token <text>`
          : `the emulator at ${origin} has another --control-token`,
      );
    }
    // The emulator checks the arguments that only it knows, such as the name of a fault.
    throw code === 'validation_error' ? new UsageError(message) : new Error(message);
  };
  return {
    origin,
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, body),
  };
}

/** Whether an emulator responds at this address, with control over HTTP or without. */
export async function isEmulator(origin: string, withinMs: number): Promise<boolean> {
  const signal = AbortSignal.timeout(withinMs);
  return localFetch(`${origin}/_emulator/health`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
}

function addressOf(text: string): string {
  try {
    return httpAddress(text);
  } catch {
    throw new UsageError(
      'MARKET_BASE_URL must be an http or https address, such as http://127.0.0.1:4010',
    );
  }
}

function causeOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error && cause.message !== '' ? cause.message : String(error);
}
