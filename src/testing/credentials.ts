/** Credentials: issued, found, checked. */

import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Environment } from '../client/assumptions.js';
import type { Scope } from '../client/model/scope.js';
import * as z from 'zod/mini';
import { ruled } from '../core/schema/must.js';
import { boolean, matching, oneOf, optional, text, withDefault } from '../core/schema/options.js';
import type { Identifiers } from './identifiers.js';
import { check, converted } from './values.js';

export type { Environment, Scope };

/** The scopes of a credential (specification, part 5, "Scopes"). */
export const scopes = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'] as const;

const environments = ['sandbox', 'live', 'test'] as const;

export function credentialFields() {
  const granted = z.array(oneOf(...scopes), ruled('must be an array of scopes'));
  return {
    scopes: withDefault(
      converted(granted, (wanted): readonly Scope[] => Object.freeze([...new Set(wanted)])),
      scopes,
    ),
    environment: optional(oneOf(...environments)),
    affiliate: withDefault(boolean(), true),
    partnerId: withDefault(text(), 'prt_1'),
    keyId: optional(
      matching(/^\S(?:.*\S)?$/s, 'must be a string without leading or trailing white space'),
    ),
    secret: optional(text()),
  };
}

/** Options of a new credential. */
export interface CredentialOptions {
  /** The granted scopes. All seven unless given. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The environment. That of the marker in `keyId` if there is one, else `'sandbox'`. */
  readonly environment?: Environment | undefined;
  /**
   * Whether the credential is linked to an affiliate account, which the referral endpoints need
   * (specification, 4.6). `true` unless given.
   */
  readonly affiliate?: boolean | undefined;
  /** The partner that the credential belongs to. Credentials of one partner see the same orders. */
  readonly partnerId?: string | undefined;
  /** Your own key id, to replay recorded requests. */
  readonly keyId?: string | undefined;
  /** Your own secret, to replay recorded requests. */
  readonly secret?: string | undefined;
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
    const { affiliate, ...options } = check(credentialFields, given);
    const environment = resolveEnvironment(options);
    const { keyId = this.#identifiers.next(`mk_${environment}_`) } = options;
    const { secret = `msk_${environment}_${this.#identifiers.letters(32)}` } = options;
    if (this.#issued.has(keyId)) throw new TypeError(`"keyId" ${keyId} is in use already`);
    const { scopes: granted, partnerId } = options;
    const credential = Object.freeze({ keyId, secret, scopes: granted, environment, partnerId });
    const key = createSecretKey(secret, 'utf8');
    this.#issued.set(keyId, { ...credential, affiliate, key });
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

function resolveEnvironment({
  environment,
  keyId,
}: Pick<CredentialOptions, 'environment' | 'keyId'>): Environment {
  const words = keyId?.toLowerCase().split(/[^a-z0-9]+/) ?? [];
  const marked = environments.filter((each) => words.includes(each));
  // Two different markers are ambiguous, so they mark nothing: the client reads them so too.
  const marker = marked.length === 1 ? marked[0] : undefined;
  if (environment !== undefined && marker !== undefined && environment !== marker) {
    throw new TypeError(`"environment" is ${environment}, but "keyId" is marked ${marker}`);
  }
  return environment ?? marker ?? 'sandbox';
}
