/** Config: the client's options and environment variables, checked and frozen. */

import { environmentOf, type Environment } from '../assumptions.js';
import { readBaseUrl } from './base-url.js';
import { checkHeaders, defaultLimits, mergeLimits, type Limits } from './checks.js';
import { safeLogger, type SafeLogger } from '../../logger.js';
import { systemTime } from '../../time/sleep.js';
import { forwardOnly, monotonicNow, type Clock } from './clock.js';
import { ConfigurationError } from '../errors/configuration-error.js';
import type { ClientOptions, Sleep } from './client-options.js';
import { checkOptions } from '../../options.js';
import { clientOptionTable, invalidOption } from './option-types.js';
import {
  assertNotLive,
  checkedCredential,
  credentialOf,
  notLoaded,
  type Credential,
} from './credentials.js';
import { resolveProxy } from './proxy.js';
import { assertTransport, runtimeName } from './runtime.js';
import type { FetchLike } from '../transport/fetch.js';
import type { ClientTracing } from '../tracing.js';
import type { DispatcherLike } from '../transport/undici.js';
import { version } from '../../version.js';

/** The client's options, checked and complete. No other module reads the caller's own options. */
export interface Config extends Limits {
  readonly origin: string;
  /** The path of `baseUrl` without its last slash: empty, or a gateway's prefix. */
  readonly prefix: string;
  /** Not loaded if `credentials` returns it. */
  readonly credential: Credential;
  readonly credentials: ClientOptions['credentials'];
  /** The option that refuses a live key. */
  readonly liveKeysForbiddenBy: 'forbidLive' | 'allowHttp' | undefined;
  readonly environment: Environment | undefined;
  readonly validateResponses: 'off' | 'warn' | 'error';
  readonly logger: SafeLogger;
  /** Unsigned headers of every request, the caller's own among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The same for reads: no cache between here and the service may respond to them. */
  readonly readHeaders: Readonly<Record<string, string>>;
  readonly dispatcher: DispatcherLike | undefined;
  readonly fetch: FetchLike | undefined;
  readonly proxy: string | undefined;
  readonly clock: Clock;
  /** Milliseconds that never go back, for deadlines: `clock` may be set while a call runs. */
  readonly monotonicClock: Clock;
  readonly maxRateLimitHoldMs: number;
  readonly random: () => number;
  readonly sleep: Sleep | undefined;
  readonly tracing: ClientTracing | undefined;
}

/**
 * Checks the options of {@link readClientOptions}.
 *
 * @throws {@link ConfigurationError} that names the option and the rule that it breaks.
 */
export function normalizeOptions(options: ClientOptions): Config {
  assertServer(options.dangerouslyAllowBrowser);
  const baseUrl = requireCredential(options, 'baseUrl');
  const { origin, prefix, isUnsafe } = readBaseUrl(baseUrl, options.allowHttp);
  const liveKeysForbiddenBy = isUnsafe
    ? 'allowHttp'
    : options.forbidLive
      ? 'forbidLive'
      : undefined;
  const credential = readCredential(options, liveKeysForbiddenBy);
  assertOneTransport(options);
  assertTransport(options);
  const headers = checkHeaders(options.headers, invalidOption);
  return Object.freeze({
    origin,
    prefix,
    credential,
    credentials: options.credentials,
    liveKeysForbiddenBy,
    environment: credential.environment,
    ...mergeLimits(options, defaultLimits),
    validateResponses: options.validateResponses ?? 'warn',
    logger: safeLogger(options.logger),
    headers: Object.freeze({ ...defaultHeaders, ...headers }),
    readHeaders: Object.freeze({ ...defaultHeaders, ...noCache, ...headers }),
    dispatcher: options.dispatcher,
    fetch: options.fetch,
    proxy: resolveProxy(options.proxy, origin),
    clock: options.clock ?? systemTime.clock,
    monotonicClock: options.clock === undefined ? monotonicNow : forwardOnly(options.clock),
    maxRateLimitHoldMs: options.maxRateLimitHoldMs ?? 15 * 60_000,
    random: options.random ?? (() => Math.random()),
    sleep: options.sleep,
    tracing: options.tracing,
  });
}

function readCredential(
  options: ClientOptions,
  liveKeysForbiddenBy: Config['liveKeysForbiddenBy'],
): Credential {
  const { credentials, signer } = options;
  const [first, second] = credentialOptions.filter((name) => options[name] !== undefined);
  if (second !== undefined && (credentials !== undefined || signer !== undefined)) {
    throw invalidOption(first ?? '', `and "${second}" exclude each other`);
  }
  if (credentials !== undefined) return notLoaded;
  const credential =
    signer === undefined
      ? checkedCredential(
          requireCredential(options, 'keyId'),
          requireCredential(options, 'secret'),
          Infinity,
        )
      : credentialOf(signer);
  assertNotLive(credential, signer === undefined ? 'keyId' : 'signer', liveKeysForbiddenBy);
  return credential;
}

/** Each of them is a way to the service: the client takes one. */
const transportOptions = ['fetch', 'dispatcher', 'proxy'] as const;

function assertOneTransport(options: ClientOptions): void {
  const [first, second] = transportOptions.filter((name) => options[name] !== undefined);
  if (first === undefined || second === undefined) return;
  throw invalidOption(first, `and "${second}" exclude each other: pass one`);
}

const credentialOptions = ['credentials', 'signer', 'keyId', 'secret'] as const;

const defaultHeaders = {
  accept: 'application/json',
  // undici's dispatch() does not decompress; without this header a server may compress.
  'accept-encoding': 'identity',
  'user-agent': `market-partner-sdk/${version}${runtimeName()}`,
};

/**
 * The signature's headers are not `Authorization`: RFC 9111 lets a shared cache store what they get. An
 * order list of a minute ago would prove that a new order does not exist.
 */
const noCache = { 'cache-control': 'no-cache' };

/**
 * Reads each option once and fills in the environment variables. A client keeps the result:
 * withOptions() then has the same credential even if a variable changed meanwhile.
 *
 * @throws {@link ConfigurationError} for what is not an object of options, and for an option that
 * does not exist.
 */
export function readClientOptions(options: unknown): ClientOptions {
  const complete = readOptionsObject(options);
  const ownCredential = (complete.credentials ?? complete.signer) === undefined;
  for (const option of ['baseUrl', 'keyId', 'secret'] as const) {
    // A variable of another credential must not be mixed in.
    if (!ownCredential && option !== 'baseUrl') continue;
    const value = complete[option] ?? environmentVariable(variableNames[option]);
    if (value !== undefined) complete[option] = value;
  }
  return withoutCredentialFields(complete, complete.keyId);
}

/**
 * The options of `base`, replaced by those of `changes`. A new way to the service replaces the old one,
 * and a new credential one that is given in another way.
 */
export function overrideOptions(base: ClientOptions, changes: unknown): ClientOptions {
  const read = readOptionsObject(changes);
  const changed = withoutCredentialFields(read, read.keyId ?? base.keyId);
  const { dispatcher, fetch, proxy, credentials, signer, keyId, secret, ...others } = base;
  return {
    ...others,
    ...(hasAny(changed, transportOptions) ? {} : { dispatcher, fetch, proxy }),
    ...keptCredential({ credentials, signer, keyId, secret }, changed),
    ...changed,
  };
}

/** The part of the credential that a change keeps: a new key id keeps the secret, and the reverse. */
function keptCredential(
  { credentials, signer, keyId, secret }: ClientOptions,
  changed: ClientOptions,
): ClientOptions {
  if (!hasAny(changed, credentialOptions)) return { credentials, signer, keyId, secret };
  if (hasAny(changed, ['credentials', 'signer'])) return {};
  return { keyId, secret };
}

function hasAny(options: ClientOptions, names: readonly (keyof ClientOptions)[]): boolean {
  return names.some((name) => options[name] !== undefined);
}

function readOptionsObject(options: unknown): ClientOptions {
  const table = { ...clientOptionTable, ...credentialFields };
  return checkOptions<ClientOptions>(table, options, invalidOption);
}

/** The other fields of the emulator's credential: tests spread it into the options. */
const credentialFields = { scopes: true, environment: true, partnerId: true } as const;

/** No option selects an environment: `environment: 'sandbox'` next to a live key would still sell for real. */
function withoutCredentialFields(options: ClientOptions, keyId: unknown): ClientOptions {
  const { environment } = options as { environment?: unknown };
  const marked = typeof keyId === 'string' ? environmentOf(keyId) : 'unknown';
  if (environment !== undefined && marked !== undefined && environment !== marked) {
    throw invalidOption(
      'environment',
      `is not an option: the key id selects the environment, here "${marked}"`,
    );
  }
  const names = Object.keys(credentialFields);
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
}

const variableNames = {
  baseUrl: 'MARKET_BASE_URL',
  keyId: 'MARKET_KEY_ID',
  secret: 'MARKET_SECRET',
} as const;

function requireCredential(options: ClientOptions, option: keyof typeof variableNames): string {
  const value: unknown = options[option];
  if (typeof value === 'string' && value.trim() !== '') return value;
  const variable = variableNames[option];
  const message =
    value === undefined
      ? missingMessage(options)
      : `"${option}" must be a non-empty string: pass it, or set ${variable}`;
  throw new ConfigurationError(message, { option, variable });
}

/** Names every option that is missing: one run of the program then finds them all. */
function missingMessage(options: ClientOptions): string {
  const ownCredential = (options.credentials ?? options.signer) === undefined;
  const required = ownCredential
    ? (['baseUrl', 'keyId', 'secret'] as const)
    : (['baseUrl'] as const);
  const missing = required.filter((option) => options[option] === undefined);
  const variables = missing.map((option) => variableNames[option]).join(', ');
  const names = missing.map((option) => `"${option}"`).join(', ');
  const problem = missing.length > 1 ? 'are missing: pass them' : 'is missing: pass it';
  return (
    `${names} ${problem}, or set ${variables}. ` +
    'No credential yet? "npx market-partner-sdk emulator --env" starts a stand-in for the service and prints a .env file.'
  );
}

function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = process?.env?.[name];
  return value === '' ? undefined : value;
}

function assertServer(allowed: boolean | undefined): void {
  const { window } = globalThis as { window?: { document?: unknown } };
  if (window?.document === undefined || allowed === true) return;
  throw new ConfigurationError(
    'MarketClient is for servers: in a browser, everyone who opens the page can read the secret and act as you. ' +
      'Call it from your backend and let the page call that.',
    { option: 'dangerouslyAllowBrowser' },
  );
}
