/** Credential: what a client signs with, and the checks of the options that hold it. */

import * as z from 'zod/mini';
import { environmentOf, type Environment } from '../assumptions.js';
import { causeChain } from '../../core/errors/cause.js';
import { ConfigurationError, invalidOption } from '../errors/configuration-error.js';
import { nullAsAbsent, unixMs } from '../input/index.js';
import { isRecord } from '../../core/json.js';
import { describe } from '../../core/schema/must.js';
import { checkOptions, lazily, text, type Fields } from '../../core/schema/options.js';
import { joinLines, type CanonicalLines } from '../protocol/canonical-string.js';
import { assertKeyId, createSigner } from '../protocol/sign.js';
import { findSurplus } from '../../core/surplus.js';

/**
 * A credential, as the option `credentials` returns it.
 *
 * @example
 * ```ts
 * import { MarketClient, type Credentials } from 'market-partner-sdk';
 *
 * const credentials = async () =>
 *   (await (await fetch('https://vault.example/market')).json()) as Credentials;
 * const market = new MarketClient({ credentials });
 * ```
 */
export interface Credentials {
  readonly keyId: string;
  readonly secret: string;
  /**
   * Until when it is used, by the service's clock: a Date, Unix milliseconds, or ISO 8601 with a zone. Default: until
   * the service refuses it.
   */
  readonly expiresAt?: Date | number | string | undefined;
}

/** Signs where the secret is kept, such as in a KMS. */
export interface RequestSigner {
  readonly keyId: string;
  /** Returns the HMAC-SHA256 of the text in UTF-8: 64 lower-case hex characters. */
  sign(canonicalString: string): string | Promise<string>;
}

export interface Credential {
  /** `undefined` until the function that returns it was asked. */
  readonly keyId: string | undefined;
  /** No error may show it, should a response repeat it. `undefined` if another signs. */
  readonly secret: string | undefined;
  readonly environment: Environment | undefined;
  /** Unix milliseconds. */
  expiresAtMs: number;
  readonly signature: (lines: CanonicalLines) => string | Promise<string>;
}

export const notLoaded: Credential = {
  keyId: undefined,
  secret: undefined,
  environment: undefined,
  expiresAtMs: -Infinity,
  signature: () => '',
};

/** @throws {@link ConfigurationError} that names the field and the rule that it breaks. */
export function checkedCredential(keyId: string, secret: string, expiresAtMs: number): Credential {
  assertBare('keyId', keyId);
  assertBare('secret', secret);
  return { ...createSigner(keyId, secret), secret, environment: environmentOf(keyId), expiresAtMs };
}

/** Other fields, such as those of a vault's entry, are ignored. */
const loadedCredential = lazily(() =>
  z.object({
    keyId: text(),
    secret: text(),
    expiresAt: nullAsAbsent(unixMs()),
  } satisfies Fields<Credentials>),
);

/** @throws {@link ConfigurationError} that names `credentials` and never shows the secret. */
export async function loadCredential(ask: () => unknown): Promise<Credential> {
  try {
    const result = await ask();
    if (!isRecord(result)) throw new Error('it must return { keyId, secret }');
    const loaded = checkOptions(loadedCredential, result, invalidOption);
    return checkedCredential(loaded.keyId, loaded.secret, loaded.expiresAt ?? Infinity);
  } catch (cause) {
    throw failure('credentials', cause);
  }
}

/** @throws {@link ConfigurationError} when the key id is missing. */
export function credentialOf(signer: RequestSigner): Credential {
  const { keyId } = signer;
  assertKeyId(keyId);
  const signature = async (lines: CanonicalLines) => {
    try {
      const hex: unknown = await signer.sign(joinLines(lines));
      if (typeof hex === 'string' && /^[0-9a-f]{64}$/.test(hex)) return `v1=${hex}`;
      throw new Error(`it must return 64 lower-case hex characters, and returned ${describe(hex)}`);
    } catch (cause) {
      throw failure('signer', cause);
    }
  };
  return { ...notLoaded, keyId, environment: environmentOf(keyId), signature };
}

export function assertNotLive(
  { environment }: Credential,
  option: 'keyId' | 'signer' | 'credentials',
  refusedBy: 'forbidLive' | 'allowHttp' | undefined,
): void {
  if (refusedBy === undefined || environment === 'sandbox' || environment === 'test') return;
  const what = environment === 'live' ? 'a live key' : 'a key whose environment is unknown';
  throw invalidOption(option, `is ${what}, and "${refusedBy}" allows only sandbox and test keys`);
}

/** With one extra character from a file or an .env line, the service would refuse every signature. */
function assertBare(option: 'keyId' | 'secret', value: string): void {
  const surplus = findSurplus(value);
  if (surplus === undefined) return;
  throw invalidOption(option, `has ${surplus}: every signature would be refused`);
}

/** What a function of the caller's did wrong; the call adds its own facts. */
function failure(option: 'credentials' | 'signer', cause: unknown): ConfigurationError {
  const why = causeChain(cause).at(-1)?.message ?? '';
  return new ConfigurationError(`"${option}" failed: ${why}`, { option }, { cause });
}
