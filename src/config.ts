/**
 * The one place that reads what a partner wrote: options and variables in, a frozen configuration
 * out. A bad one is refused at once, by name, with the rule that it breaks.
 */

import { environmentOf, type Environment } from './assumptions.js';
import {
  checkHeaders,
  defaultLimits,
  mergeLimits,
  refuseMisspelt,
  type Limits,
  type Problem,
} from './call-options.js';
import { safeLogger, type SafeLogger } from './engine/logger.js';
import type { Clock } from './engine/service-clock.js';
import { monotonic } from './engine/stopwatch.js';
import { ConfigurationError } from './errors/before-sending.js';
import type { ClientOptions, Sleep } from './options.js';
import { createSigner, type Signer } from './protocol/sign.js';
import type { FetchLike } from './transport/fetch.js';
import type { DispatcherLike } from './transport/undici.js';
import { version } from './version.js';

/** The client's options, checked and complete; nothing after this reads what the partner wrote. */
export interface Config extends Limits {
  readonly origin: string;
  /** The path of `baseUrl` without its last slash: empty, or a gateway's prefix. */
  readonly prefix: string;
  readonly signer: Signer;
  readonly environment: Environment | undefined;
  readonly validateResponses: 'off' | 'warn' | 'error';
  readonly logger: SafeLogger;
  /** What every request carries beside the signed headers; the partner's own among them. */
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
  refuseMisspelt(options, kinds, configurationProblem);
  checkKinds(options);
  refuseBrowser(options.dangerouslyAllowBrowser);
  const { origin, prefix } = readBaseUrl(required(options, 'baseUrl'));
  const keyId = required(options, 'keyId');
  const secret = required(options, 'secret');
  if (secret !== secret.trim()) {
    throw new ConfigurationError(
      '"secret" has white space around it, as a file\'s last line break: every signature would be refused',
      { option: 'secret', variable: variableOf.secret },
    );
  }
  const signer = createSigner(keyId, secret);
  const environment = environmentOf(keyId);
  if (options.forbidLive === true) refuseLive(environment);
  if (options.fetch !== undefined && options.dispatcher !== undefined) {
    throw configurationProblem(
      'fetch',
      'and "dispatcher" exclude each other: a dispatcher goes with undici',
    );
  }
  return Object.freeze({
    origin,
    prefix,
    signer,
    environment,
    ...mergeLimits(options, defaultLimits, configurationProblem),
    validateResponses: options.validateResponses ?? 'warn',
    logger: safeLogger(options.logger),
    headers: Object.freeze({
      ...standingHeaders,
      ...checkHeaders(options.headers, configurationProblem),
    }),
    dispatcher: options.dispatcher,
    fetch: options.fetch,
    clock: options.clock ?? Date.now,
    elapsed: options.clock ?? monotonic,
    random: options.random ?? Math.random,
    sleep: options.sleep,
  });
}

const standingHeaders = {
  accept: 'application/json',
  // undici's dispatch does not decompress, and without this a server may compress.
  'accept-encoding': 'identity',
  'user-agent': `market-partner-sdk/${version}${runtimeName()}`,
};

function runtimeName(): string {
  const versions: Record<string, string | undefined> = process.versions;
  const name = ['bun', 'deno', 'node'].find((one) => versions[one] !== undefined);
  return name === undefined ? '' : ` ${name}/${versions[name] ?? ''}`;
}

/**
 * The options with what the variables add. A client keeps these, so that one made from it later
 * has the same credential even where a variable was changed meanwhile.
 */
export function withVariables(options: ClientOptions): ClientOptions {
  const complete = { ...options };
  for (const option of ['baseUrl', 'keyId', 'secret'] as const) {
    const value = options[option] ?? environmentVariable(variableOf[option]);
    if (value !== undefined) complete[option] = value;
  }
  return complete;
}

/** `base` with what `given` sets. A new way to send takes the place of the old, whichever it was. */
export function overrideOptions(base: ClientOptions, given: ClientOptions): ClientOptions {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const { dispatcher, fetch, ...others } = base;
  const wire =
    given.dispatcher === undefined && given.fetch === undefined ? { dispatcher, fetch } : {};
  return { ...others, ...wire, ...(Object.fromEntries(set) as ClientOptions) };
}

const variableOf = {
  baseUrl: 'MARKET_BASE_URL',
  keyId: 'MARKET_KEY_ID',
  secret: 'MARKET_SECRET',
} as const;

/** What an option must be. */
interface Kind {
  readonly rule: string;
  readonly fits: (value: unknown) => boolean;
}

const isFunction: Kind = {
  rule: 'must be a function',
  fits: (value) => typeof value === 'function',
};

const isBoolean: Kind = {
  rule: 'must be true or false',
  fits: (value) => typeof value === 'boolean',
};

const isLogger: Kind = {
  rule: 'must be an object whose debug, info, warn and error, where it has them, are functions',
  fits: (value) =>
    isObject(value) &&
    ['debug', 'info', 'warn', 'error'].every((level) => {
      const method = value[level];
      return method === undefined || typeof method === 'function';
    }),
};

const isDispatcher: Kind = {
  rule: 'must have a dispatch method, as those of undici 7 have',
  fits: (value) => isObject(value) && typeof value.dispatch === 'function',
};

const isMode: Kind = {
  rule: 'must be "off", "warn" or "error"',
  fits: (value) => value === 'off' || value === 'warn' || value === 'error',
};

/** Every option; those without a kind are checked where they are read. */
const kinds: Readonly<Record<keyof ClientOptions, Kind | undefined>> = {
  baseUrl: undefined,
  keyId: undefined,
  secret: undefined,
  timeoutMs: undefined,
  deadlineMs: undefined,
  maxRetries: undefined,
  headers: undefined,
  validateResponses: isMode,
  logger: isLogger,
  dispatcher: isDispatcher,
  fetch: isFunction,
  clock: isFunction,
  random: isFunction,
  sleep: isFunction,
  forbidLive: isBoolean,
  dangerouslyAllowBrowser: isBoolean,
};

function checkKinds(options: ClientOptions): void {
  for (const [option, kind] of Object.entries(kinds)) {
    const value: unknown = options[option as keyof ClientOptions];
    if (value === undefined || kind === undefined || kind.fits(value)) continue;
    throw configurationProblem(option, kind.rule);
  }
}

const configurationProblem: Problem = (name, rule) =>
  new ConfigurationError(`"${name}" ${rule}`, { option: name });

function required(options: ClientOptions, option: keyof typeof variableOf): string {
  const value: unknown = options[option];
  if (typeof value === 'string' && value.trim() !== '') return value;
  const variable = variableOf[option];
  const problem = value === undefined ? 'is missing' : 'must be a non-empty string';
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
      variable: variableOf.baseUrl,
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

function refuseLive(environment: Environment | undefined): void {
  if (environment === 'sandbox' || environment === 'test') return;
  const what = environment === 'live' ? 'a live key' : 'of no environment that can be told';
  throw new ConfigurationError(
    `"keyId" is ${what}, and "forbidLive" allows only sandbox and test keys`,
    { option: 'keyId', variable: variableOf.keyId },
  );
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

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
