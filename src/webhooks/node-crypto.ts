/**
 * node:crypto, loaded for the first signature and not with this module: it costs more time than all
 * the rest of `./webhooks`, and a process that only imports a verifier may never need it.
 */

import type * as crypto from 'node:crypto';

let loaded: typeof crypto | undefined;

export function nodeCrypto(): typeof crypto {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
}
