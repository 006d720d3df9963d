/**
 * node:crypto, loaded at the first signature. Loading it with this module would triple the import
 * time of `./webhooks`, also in processes that never verify anything.
 */

import type * as crypto from 'node:crypto';
import type { RawBytesOrText } from './raw-body.js';

/** FIPS modules refuse keys of less than 14 bytes. */
const testKey = 'a key that is long enough';

const needs =
  'Verifying webhooks needs node:crypto by process.getBuiltinModule, which Node 20.18.1 and later have. ' +
  'In Cloudflare Workers it needs the compatibility flag nodejs_compat and a compatibility date from ' +
  '2024-09-23 on, or a date from 2026-08-04 on.';

let loaded: typeof crypto | undefined;

export function nodeCrypto(): typeof crypto {
  loaded ??= load();
  return loaded;
}

/** The signature as text, in hexadecimal: returning it as a Buffer takes a quarter longer. */
export function hmac(body: RawBytesOrText, key: string | Uint8Array): string {
  return nodeCrypto().createHmac('sha256', key).update(body).digest('hex');
}

function load(): typeof crypto {
  try {
    // Workers have no `process`; the bare name would throw a ReferenceError, which explains nothing.
    const { Buffer, process } = globalThis as {
      Buffer?: object;
      process?: { getBuiltinModule?: (id: 'node:crypto') => typeof crypto };
    };
    const builtin = Buffer && process?.getBuiltinModule?.('node:crypto');
    if (builtin !== undefined) {
      // It may be there and refuse: without OpenSSL, or in the imitation of a bundler.
      const digest = builtin.createHmac('sha256', testKey).update('').digest();
      if (builtin.timingSafeEqual(digest, digest)) return builtin;
    }
  } catch (cause) {
    throw new Error(`The node:crypto of this runtime does not work. ${needs}`, { cause });
  }
  throw new Error(needs);
}
