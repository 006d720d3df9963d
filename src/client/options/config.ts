/** Config: the client's options and environment variables, checked and frozen. */

import { environmentOf, type Environment } from '../assumptions.js';
import { ConfigurationError, invalidOption, variableNames } from '../errors/configuration-error.js';
import { safeLogger, type SafeLogger } from '../../core/logger.js';
import { checkOptions } from '../../core/schema/options.js';
import { systemTime } from '../../core/time/sleep.js';
import { version } from '../../core/version.js';
import type { Profile } from '../profile/profile.js';
import { readProfile } from '../profile/read-profile.js';
import { readBaseUrl } from './base-url.js';
import {
  clientChanges,
  clientOptions,
  type ClientOptions,
  type ClientSettings,
} from './client-options.js';
import { forwardOnly, monotonicNow, type Clock } from './clock.js';
import {
  assertNotLive,
  checkedCredential,
  credentialOf,
  notLoaded,
  type Credential,
} from './credentials.js';
import { resolveProxy } from './proxy.js';
import { assertTransport, runtimeName } from './runtime.js';

/** The limits of a call. */
export type Limits = Pick<ClientSettings, 'timeoutMs' | 'deadlineMs' | 'maxRetries'>;

/** The client's options, checked and complete. No other module reads the caller's own options. */
export interface Config extends Limits {
  readonly origin: string;
  /** The path of `baseUrl` without its last slash: empty, or a gateway's prefix. */
  readonly prefix: string;
  /** Not loaded if `credentials` returns it. */
  readonly credential: Credential;
  readonly credentials: ClientSettings['credentials'];
  /** The option that refuses a live key. */
  readonly liveKeysForbiddenBy: 'forbidLive' | 'allowHttp' | undefined;
  readonly environment: Environment | undefined;
  readonly validateResponses: ClientSettings['validateResponses'];
  readonly profile: Profile | undefined;
  readonly logger: SafeLogger;
  /** Unsigned headers of every request, the caller's own among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** The same for reads: no cache between here and the service may respond to them. */
  readonly readHeaders: Readonly<Record<string, string>>;
  readonly dispatcher: ClientSettings['dispatcher'];
  readonly fetch: ClientSettings['fetch'];
  readonly proxy: string | undefined;
  readonly clock: Clock;
  /** Milliseconds that never go back, for deadlines: `clock` may be set while a call runs. */
  readonly monotonicClock: Clock;
  readonly maxRateLimitHoldMs: number;
  readonly random: () => number;
  readonly sleep: ClientSettings['sleep'];
  readonly tracing: ClientSettings['tracing'];
}

/**
 * Checks the options of {@link readClientOptions} against each other.
 *
 * @throws {@link ConfigurationError} that names the option and the rule that it breaks.
 */
export function normalizeOptions(options: ClientSettings): Config {
  assertServer(options.dangerouslyAllowBrowser);
  const baseUrl = requireOption(options, 'baseUrl');
  const { origin, prefix, isUnsafe } = readBaseUrl(baseUrl, options.allowHttp);
  const liveKeysForbiddenBy = isUnsafe
    ? 'allowHttp'
    : options.forbidLive
      ? 'forbidLive'
      : undefined;
  const credential = readCredential(options, liveKeysForbiddenBy);
  assertOneTransport(options);
  assertTransport(options);
  const { timeoutMs, deadlineMs, maxRetries, maxRateLimitHoldMs, clock } = options;
  return Object.freeze({
    origin,
    prefix,
    credential,
    credentials: options.credentials,
    liveKeysForbiddenBy,
    environment: credential.environment,
    timeoutMs,
    deadlineMs,
    maxRetries,
    validateResponses: options.validateResponses,
    profile: options.profile,
    logger: safeLogger(options.logger),
    headers: Object.freeze({ ...defaultHeaders, ...options.headers }),
    readHeaders: Object.freeze({ ...defaultHeaders, ...noCache, ...options.headers }),
    dispatcher: options.dispatcher,
    fetch: options.fetch,
    proxy: resolveProxy(options.proxy, origin),
    clock,
    monotonicClock: clock === systemTime.clock ? monotonicNow : forwardOnly(clock),
    maxRateLimitHoldMs,
    random: options.random,
    sleep: options.sleep,
    tracing: options.tracing,
  });
}

function readCredential(
  options: ClientSettings,
  liveKeysForbiddenBy: Config['liveKeysForbiddenBy'],
): Credential {
  const { credentials, signer } = options;
  const [first, second] = credentialOptions.filter((name) => options[name] !== undefined);
  if (second !== undefined && (credentials !== undefined || signer !== undefined)) {
    throw invalidOption(first ?? '', `and "${second}" cannot be combined`);
  }
  if (credentials !== undefined) return notLoaded;
  const credential =
    signer === undefined
      ? checkedCredential(
          requireOption(options, 'keyId'),
          requireOption(options, 'secret'),
          Infinity,
        )
      : credentialOf(signer);
  assertNotLive(credential, signer === undefined ? 'keyId' : 'signer', liveKeysForbiddenBy);
  return credential;
}

/** Each of them is a way to the service: the client takes one. */
const transportOptions = ['fetch', 'dispatcher', 'proxy'] as const;

function assertOneTransport(options: ClientSettings): void {
  const [first, second] = transportOptions.filter((name) => options[name] !== undefined);
  if (first === undefined || second === undefined) return;
  throw invalidOption(first, `and "${second}" cannot be combined. Pass one`);
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
 * The options with their defaults; the environment variables stand in for what is left out. A client keeps
 * the result: withOptions() then has the same credential even if a variable changed meanwhile.
 *
 * @throws {@link ConfigurationError} that names the option and the rule that it breaks.
 */
export function readClientOptions(options: unknown): ClientSettings {
  const { environment, ...settings } = checkOptions(clientOptions, options, invalidOption);
  for (const option of optionsOfVariables(settings)) {
    settings[option] ??= environmentVariable(variableNames[option]);
  }
  settings.profile = readProfile(settings.profile, environmentVariable(variableNames.profile));
  // No option selects an environment: `environment: 'sandbox'` next to a live key would still sell for real.
  const marked = settings.keyId === undefined ? 'unknown' : environmentOf(settings.keyId);
  if (environment !== undefined && marked !== undefined && environment !== marked) {
    throw invalidOption(
      'environment',
      `is not an option: the key id selects the environment, here "${marked}"`,
    );
  }
  return settings;
}

/**
 * The options of `base`, replaced by those of `changes`. A new way to the service replaces the old one,
 * and a new credential one that is given in another way.
 */
export function overrideOptions(base: ClientSettings, changes: unknown): ClientOptions {
  const changed: ClientOptions = checkOptions(clientChanges, changes, invalidOption);
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

/** The options that variables stand in for. A variable of another credential must not be mixed in. */
function optionsOfVariables({ credentials, signer }: ClientSettings) {
  return (credentials ?? signer) === undefined
    ? (['baseUrl', 'keyId', 'secret'] as const)
    : (['baseUrl'] as const);
}

function requireOption(
  options: ClientSettings,
  option: Exclude<keyof typeof variableNames, 'profile'>,
): string {
  const value = options[option];
  if (value !== undefined) return value;
  throw new ConfigurationError(missingMessage(options), {
    option,
    variable: variableNames[option],
  });
}

/** Names every option that is missing: one run of the program then finds them all. */
function missingMessage(options: ClientSettings): string {
  const missing = optionsOfVariables(options).filter((option) => options[option] === undefined);
  const variables = missing.map((option) => variableNames[option]).join(', ');
  const names = missing.map((option) => `"${option}"`).join(', ');
  const problem = missing.length > 1 ? 'are missing: pass them' : 'is missing: pass it';
  return (
    `${names} ${problem}, or set ${variables}. ` +
    'No credential yet? "npx market-partner-sdk emulator --env" starts a local emulator and prints these variables.'
  );
}

function environmentVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = process?.env?.[name];
  return value === '' ? undefined : value;
}

function assertServer(allowed: boolean): void {
  const { window } = globalThis as { window?: { document?: unknown } };
  if (window?.document === undefined || allowed) return;
  throw new ConfigurationError(
    'MarketClient is for servers. In a browser, everyone who opens the page can read the secret and act as you. ' +
      'Call it from your backend and let the page call that.',
    { option: 'dangerouslyAllowBrowser' },
  );
}
