/**
 * The one place that reads what a partner wrote: options and variables in, a frozen configuration
 * out. A bad one is refused at once, by name, with the rule that it breaks.
 */

import { environmentOf, type Environment } from './assumptions.js';
import { safeLogger, type SafeLogger } from './engine/logger.js';
import type { Clock } from './engine/service-clock.js';
import { ConfigurationError, InvalidRequestError } from './errors/before-sending.js';
import type { ClientOptions, Sleep } from './options.js';
import { createSigner, type Signer } from './protocol/sign.js';
import type { FetchLike } from './transport/fetch.js';
import type { DispatcherLike } from './transport/undici.js';

/** A call's limits, after the client's and the call's options are put together. */
export interface Limits {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
}

/** The client's options, checked and complete; nothing after this reads what the partner wrote. */
export interface Config extends Limits {
  readonly origin: string;
  /** The path of `baseUrl` without its last slash: empty, or a gateway's prefix. */
  readonly prefix: string;
  readonly signer: Signer;
  readonly environment: Environment | undefined;
  readonly validateResponses: 'off' | 'warn' | 'error';
  readonly logger: SafeLogger;
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: DispatcherLike | undefined;
  readonly fetch: FetchLike | undefined;
  readonly clock: Clock;
  /** Milliseconds that only ever grow, for deadlines: the clock above may be set while a call runs. */
  readonly elapsed: Clock;
  readonly random: () => number;
  readonly sleep: Sleep | undefined;
}

export function normalizeOptions(options: ClientOptions): Config {
  refuseBrowser(options.dangerouslyAllowBrowser);
  const { origin, prefix } = readBaseUrl(required(options.baseUrl, 'baseUrl', 'MARKET_BASE_URL'));
  const keyId = required(options.keyId, 'keyId', 'MARKET_KEY_ID');
  const signer = createSigner(keyId, required(options.secret, 'secret', 'MARKET_SECRET'));
  const environment = environmentOf(keyId);
  if (options.forbidLive === true && environment !== 'sandbox' && environment !== 'test') {
    throw new ConfigurationError(
      `"keyId" is ${environment === 'live' ? 'a live key' : 'of no environment that can be told'}, and "forbidLive" allows only sandbox and test keys`,
      { option: 'keyId', variable: 'MARKET_KEY_ID' },
    );
  }
  if (options.fetch !== undefined && options.dispatcher !== undefined) {
    throw new ConfigurationError(
      '"fetch" and "dispatcher" exclude each other: a dispatcher goes with undici',
      {
        option: 'fetch',
      },
    );
  }
  requireKind(options.fetch, 'fetch', 'function');
  requireKind(options.clock, 'clock', 'function');
  requireKind(options.random, 'random', 'function');
  requireKind(options.sleep, 'sleep', 'function');
  if (options.dispatcher !== undefined && typeof options.dispatcher.dispatch !== 'function') {
    throw new ConfigurationError(
      '"dispatcher" must have a dispatch method, as those of undici 7 have',
      {
        option: 'dispatcher',
      },
    );
  }
  const validateResponses = options.validateResponses ?? 'warn';
  if (!['off', 'warn', 'error'].includes(validateResponses)) {
    throw new ConfigurationError('"validateResponses" must be "off", "warn" or "error"', {
      option: 'validateResponses',
    });
  }
  return Object.freeze({
    origin,
    prefix,
    signer,
    environment,
    ...mergeLimits(options, defaultLimits, configurationProblem),
    validateResponses,
    logger: safeLogger(options.logger),
    headers: checkHeaders(options.headers, configurationProblem),
    dispatcher: options.dispatcher,
    fetch: options.fetch,
    clock: options.clock ?? Date.now,
    elapsed: options.clock ?? (() => performance.now()),
    random: options.random ?? Math.random,
    sleep: options.sleep,
  });
}

export const defaultLimits: Limits = { timeoutMs: 30_000, deadlineMs: 120_000, maxRetries: 2 };

/** How a broken rule is told: as a configuration error of the client, or a refused call. */
type Problem = (name: string, rule: string) => Error;

export const requestProblem: Problem = (name, rule) =>
  new InvalidRequestError([{ path: name, message: rule }]);

const configurationProblem: Problem = (name, rule) =>
  new ConfigurationError(`"${name}" ${rule}`, { option: name });

/** The limits that `given` sets, over those of `base`. */
export function mergeLimits(
  given: { readonly [Name in keyof Limits]?: number | undefined },
  base: Limits,
  problem: Problem,
): Limits {
  const merged = {
    timeoutMs: given.timeoutMs ?? base.timeoutMs,
    deadlineMs: given.deadlineMs ?? base.deadlineMs,
    maxRetries: given.maxRetries ?? base.maxRetries,
  };
  for (const name of ['timeoutMs', 'deadlineMs'] as const) {
    const value: unknown = merged[name];
    // Timers count in 32 bits: a longer one would fire at once.
    if (typeof value !== 'number' || !(value > 0) || value > longestTimerMs) {
      throw problem(name, `must be a number of milliseconds above 0, at most ${longestTimerMs}`);
    }
  }
  if (!Number.isInteger(merged.maxRetries) || merged.maxRetries < 0 || merged.maxRetries > 100) {
    throw problem('maxRetries', 'must be a whole number from 0 to 100');
  }
  return merged;
}

const longestTimerMs = 2 ** 31 - 1;

/** Headers that belong to the signature, to the body or to the connection. */
const ownHeaders = new Set([
  'x-market-key-id',
  'x-market-timestamp',
  'x-market-nonce',
  'x-market-signature',
  'idempotency-key',
  'content-type',
  'content-length',
  'transfer-encoding',
  'host',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

/** A frozen copy with names in lower case. */
export function checkHeaders(
  headers: Readonly<Record<string, string>> | undefined,
  problem: Problem,
): Readonly<Record<string, string>> {
  const checked: Record<string, string> = {};
  for (const [given, value] of Object.entries(headers ?? {})) {
    const name = given.toLowerCase();
    if (ownHeaders.has(name)) {
      const instead = name === 'idempotency-key' ? '; give the option "idempotencyKey"' : '';
      throw problem(`headers.${given}`, `is set by the client and cannot be replaced${instead}`);
    }
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name)) {
      throw problem(`headers.${given}`, 'is not a header name');
    }
    if (typeof value !== 'string' || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw problem(
        `headers.${given}`,
        'must be a string without line breaks or control characters',
      );
    }
    checked[name] = value;
  }
  return Object.freeze(checked);
}

function required(value: string | undefined, option: string, variable: string): string {
  const given: unknown = value ?? environmentVariable(variable);
  if (typeof given === 'string' && given.trim() !== '') return given;
  const problem = given === undefined ? 'is missing' : 'must be a non-empty string';
  throw new ConfigurationError(`"${option}" ${problem}: pass it, or set ${variable}`, {
    option,
    variable,
  });
}

function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = process?.env?.[name];
  return value === '' ? undefined : value;
}

function readBaseUrl(baseUrl: string): { origin: string; prefix: string } {
  const problem = baseUrlProblem(baseUrl);
  if (problem !== undefined) {
    throw new ConfigurationError(`"baseUrl" ${problem}`, {
      option: 'baseUrl',
      variable: 'MARKET_BASE_URL',
    });
  }
  const url = new URL(baseUrl);
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

function baseUrlProblem(baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return 'must be an absolute URL such as https://market.example';
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (/[?#]/.test(baseUrl)) return 'must not have a query or a fragment';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL';
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return 'must be https: plain http is for loopback only';
  }
  if (/\/api\/partner(\/|$)/.test(url.pathname)) {
    return 'must end before /api/partner: the client adds that path itself';
  }
  return undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function requireKind(value: unknown, option: string, kind: 'function'): void {
  if (value !== undefined && typeof value !== kind) {
    throw new ConfigurationError(`"${option}" must be a ${kind}`, { option });
  }
}

function refuseBrowser(allowed: boolean | undefined): void {
  const { window } = globalThis as { window?: { document?: unknown } };
  if (window?.document === undefined || allowed === true) return;
  throw new ConfigurationError(
    'MarketClient is for servers: in a browser, everyone who opens the page can read the secret and act as you. ' +
      'Call it from your backend and let the page call that.',
    { option: 'dangerouslyAllowBrowser' },
  );
}
