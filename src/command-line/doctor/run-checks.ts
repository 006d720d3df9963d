/** `runChecks`: runs every check and puts the report together. */

import { MarketClient } from '../../client/client.js';
import { ConfigurationError } from '../../client/errors/index.js';
import type { Profile } from '../../client/profile/profile.js';
import { version } from '../../core/version.js';
import { checkNode, checkProxy, findProxyVariables } from './machine.js';
import { runProbes } from './probes.js';
import { earlyChecks, evaluateProbes } from './evaluate-probes.js';
import { check, type Check, type CheckResult, type Report } from './report.js';
import { checkTls } from './tls.js';
import { parseUrl } from '../../core/parse-url.js';

export interface DoctorContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isLiveAllowed: boolean;
  /** The client's option of this name. */
  readonly proxy: string | undefined;
  /** Scopes that the partner's program needs. */
  readonly neededScopes: readonly string[];
  readonly stop: AbortSignal;
  /** The one in use. */
  readonly profile: Profile | undefined;
  /** Whether the service is compared with it afterwards, and not with the assumptions here. */
  readonly comparesForm: boolean;
}

export interface DoctorListener {
  /** Called with each check when it has ended; again if a later read had another result. */
  readonly onCheck: (check: Check) => void;
  readonly onProgress: (text: string) => void;
}

export async function runChecks(
  context: DoctorContext,
  { onCheck, onProgress }: DoctorListener,
): Promise<Report> {
  const { env, neededScopes, proxy, stop } = context;
  const { MARKET_BASE_URL: address, MARKET_KEY_ID: keyId } = env;
  const proxyVariables = findProxyVariables(env);
  const known = {
    version,
    node: process.versions.node,
    baseUrl: address === undefined ? null : addressOf(address),
    keyId: keyId === undefined ? null : firstCharacters(keyId),
    environment: null,
    clockOffsetMs: null,
    latencyMs: null,
    tls: null,
    proxyVariables,
  };
  const told = new Map<string, CheckResult>();
  const hide = (each: Check) => ({ ...each, detail: withoutKeys(each.detail, env) });
  const tell = (checks: readonly Check[]) => {
    for (const each of checks.filter(({ name, result }) => told.get(name) !== result)) {
      told.set(each.name, each.result);
      onCheck(hide(each));
    }
  };
  const complete = (found: Omit<Report, 'ok' | 'checks'>, checks: readonly Check[]): Report => {
    tell(checks);
    const ok = checks.every(({ result }) => result !== 'failed');
    return { ok, ...found, checks: checks.map(hide) };
  };
  const early = [checkNode(), checkProxy(proxyVariables, proxy)];
  tell(early);
  let market: MarketClient;
  try {
    market = createClient(context);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return complete(known, [...early, configurationFailure(error, env)]);
  }
  try {
    const environment = market.environment ?? null;
    const configuration = `${known.baseUrl ?? ''}, key id ${known.keyId ?? ''}, environment ${environment ?? 'unknown'}`;
    const baseUrl = new URL(address ?? '');
    const first = [...early, check('configuration', 'ok', configuration)];
    tell(first);
    onProgress(`TLS with ${baseUrl.host} …`);
    const { check: tlsCheck, tls } = await checkTls(baseUrl, proxy);
    tell([tlsCheck]);
    onProgress(`The first read from ${baseUrl.host}, for 10 s at most …`);
    const results = await runProbes(market, stop, (results) => {
      const settled = earlyChecks(results, market, baseUrl, neededScopes);
      tell(settled.filter(({ result }) => result !== 'not_checked'));
      onProgress(`${results.length} reads made …`);
    });
    const { checks, ...measured } = evaluateProbes(results, market, baseUrl, context);
    const found = { ...known, environment, tls, ...measured };
    return complete(found, [...first, tlsCheck, ...checks]);
  } finally {
    await market.close();
  }
}

export function createClient({ env, isLiveAllowed, proxy, profile }: DoctorContext): MarketClient {
  return new MarketClient({
    baseUrl: env.MARKET_BASE_URL,
    keyId: env.MARKET_KEY_ID,
    secret: env.MARKET_SECRET,
    proxy,
    forbidLive: !isLiveAllowed,
    // A retry would hide what the doctor is asked to find.
    maxRetries: 0,
    timeoutMs: 10_000,
    deadlineMs: 10_000,
    // What differs is told by the report; a read that contradicts the profile must not end it.
    validateResponses: 'off',
    profile: { version: 1, ...(profile?.errors && { errors: profile.errors }) },
  });
}

const variables = ['MARKET_BASE_URL', 'MARKET_KEY_ID', 'MARKET_SECRET'];

function configurationFailure(
  { message, variable }: ConfigurationError,
  env: DoctorContext['env'],
): Check {
  const missing = variables.filter((name) => (env[name] ?? '') === '');
  const isWrong = variable === undefined || !missing.includes(variable);
  const steps = [
    ...(isWrong ? [`correct ${variable ?? 'what it names'}`] : []),
    ...(missing.length > 0
      ? [`set ${missing.join(', ')}, or name their file with --env-file`]
      : []),
    'run this again',
  ];
  const isLive = message.includes('"forbidLive"');
  const advice = isLive
    ? 'Nothing was sent. With --live the same reads go out, which change nothing at the service.'
    : `Nothing was sent. Next: ${steps.join('; ')}.`;
  return check('configuration', 'failed', message, advice);
}

/** If the variables are swapped, the text is the secret; an address may hold a password. */
function addressOf(text: string): string {
  const url = parseUrl(text);
  return url !== undefined && /^https?:$/.test(url.protocol)
    ? `${url.origin}${url.pathname.replace(/\/$/, '')}`
    : '[not an address]';
}

/** If the secret and the key id are swapped, the service quotes the secret. */
function withoutKeys(
  text: string,
  { MARKET_SECRET: secret = '', MARKET_KEY_ID: keyId = '' }: DoctorContext['env'],
): string {
  const safe = secret === '' ? text : text.replaceAll(secret, '[hidden]');
  return keyId === '' ? safe : safe.replaceAll(keyId, firstCharacters(keyId));
}

/** The environment's marker and four characters: enough to distinguish two keys. */
function firstCharacters(keyId: string): string {
  const [begin] = /^.{0,8}(sandbox|live|test)[^a-z0-9]?.{0,4}/i.exec(keyId) ?? [keyId.slice(0, 4)];
  return `${begin}...`;
}
