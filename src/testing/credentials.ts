/** Credentials: issued, found, checked. */

import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Environment } from '../client/assumptions.js';
import type { Scope } from '../client/model/scope.js';
import { boolean, checkOptions, nonEmptyString, oneOf, type OptionTable } from '../options.js';
import type { Identifiers } from './identifiers.js';
import { invalidOption } from './invalid-option.js';

export type { Environment, Scope };

/** The scopes of a credential (specification, part 5, "Scopes"). */
export const scopes: readonly Scope[] = [
  'search',
  'embed',
  'buy',
  'broker',
  'refer',
  'report',
  'webhook',
];

const environments: readonly Environment[] = ['sandbox', 'live', 'test'];

const credentialOptions: OptionTable<CredentialOptions> = {
  scopes: true,
  environment: oneOf(...environments),
  affiliate: boolean,
  partnerId: nonEmptyString,
  keyId: true,
  secret: true,
};

/** Options of a new credential. */
export interface CredentialOptions {
  /** The granted scopes. All seven unless given. */
  readonly scopes?: readonly Scope[];
  /** The environment. That of the marker in `keyId` if there is one, else `'sandbox'`. */
  readonly environment?: Environment;
  /**
   * Whether the credential is linked to an affiliate account, which the referral endpoints need
   * (specification, 4.6). `true` unless given.
   */
  readonly affiliate?: boolean;
  /** The partner that the credential belongs to. Credentials of one partner see the same orders. */
  readonly partnerId?: string;
  /** Your own key id, to replay recorded requests. */
  readonly keyId?: string;
  /** Your own secret, to replay recorded requests. */
  readonly secret?: string;
}

/** A credential as a partner receives it. */
export interface EmulatorCredential {
  /** Public identifier with an environment marker: `mk_sandbox_…`. */
  readonly keyId: string;
  /** Signing secret. It is valid in this emulator only. */
  readonly secret: string;
  /** The granted scopes. */
  readonly scopes: readonly Scope[];
  /** The environment whose inventory it is served. */
  readonly environment: Environment;
  /** The partner that it belongs to. */
  readonly partnerId: string;
}

/** A credential in the service's own store. */
export interface IssuedCredential extends EmulatorCredential {
  readonly affiliate: boolean;
  readonly key: KeyObject;
}

/** Credentials with their secrets. */
export type CredentialsSnapshot = readonly (EmulatorCredential & { readonly affiliate: boolean })[];

/** The credentials that this emulator has issued. */
export class Credentials {
  readonly #issued = new Map<string, IssuedCredential>();
  readonly #identifiers: Identifiers;

  constructor(identifiers: Identifiers) {
    this.#identifiers = identifiers;
  }

  issue(given: CredentialOptions): EmulatorCredential {
    const options = checkOptions<CredentialOptions>(credentialOptions, given, invalidOption);
    const granted = checkScopes(options.scopes ?? scopes);
    const environment = resolveEnvironment(options);
    const keyId = options.keyId ?? this.#identifiers.next(`mk_${environment}_`);
    const secret = options.secret ?? `msk_${environment}_${this.#identifiers.letters(32)}`;
    if (keyId === '' || keyId.trim() !== keyId) {
      throw new TypeError('"keyId" must be a string without leading or trailing white space');
    }
    if (secret === '') throw new TypeError('"secret" must not be empty');
    if (this.#issued.has(keyId)) throw new TypeError(`"keyId" ${keyId} is in use already`);

    const partnerId = options.partnerId ?? 'prt_1';
    const credential = Object.freeze({ keyId, secret, scopes: granted, environment, partnerId });
    this.#issued.set(keyId, {
      ...credential,
      affiliate: options.affiliate ?? true,
      key: createSecretKey(secret, 'utf8'),
    });
    return credential;
  }

  snapshot(): CredentialsSnapshot {
    return [...this.#issued.values()].map(
      ({ keyId, secret, scopes: granted, environment, partnerId, affiliate }) => ({
        keyId,
        secret,
        scopes: granted,
        environment,
        partnerId,
        affiliate,
      }),
    );
  }

  restore(snapshot: CredentialsSnapshot): void {
    this.#issued.clear();
    for (const credential of snapshot) this.issue(credential);
  }

  find(keyId: string): IssuedCredential | undefined {
    return this.#issued.get(keyId);
  }

  all(): Iterable<IssuedCredential> {
    return this.#issued.values();
  }
}

function checkScopes(requested: readonly Scope[]): readonly Scope[] {
  for (const scope of requested) {
    if (!scopes.includes(scope)) {
      throw new TypeError(`"scopes" has ${JSON.stringify(scope)}; known are ${scopes.join(', ')}`);
    }
  }
  return Object.freeze([...new Set(requested)]);
}

function resolveEnvironment({ environment, keyId }: CredentialOptions): Environment {
  const words = keyId?.toLowerCase().split(/[^a-z0-9]+/) ?? [];
  const marked = environments.filter((each) => words.includes(each));
  // Two different markers are ambiguous, so they mark nothing: the client reads them so too.
  const marker = marked.length === 1 ? marked[0] : undefined;
  if (environment !== undefined && marker !== undefined && environment !== marker) {
    throw new TypeError(`"environment" is ${environment}, but "keyId" is marked ${marker}`);
  }
  return environment ?? marker ?? 'sandbox';
}
