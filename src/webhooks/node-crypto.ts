/**
 * node:crypto, loaded for the first signature and not with this module: it costs more time than all
 * the rest of `./webhooks`, and a process that only imports a verifier may never need it.
 */

import type * as crypto from 'node:crypto';

let loaded: typeof crypto | undefined;

export function nodeCrypto(): typeof crypto {
  loaded ??= load();
  return loaded;
}

function load(): typeof crypto {
  const { getBuiltinModule } = process as Partial<Pick<typeof process, 'getBuiltinModule'>>;
  if (getBuiltinModule !== undefined) return getBuiltinModule('node:crypto');
  throw new Error(
    'Verifying webhooks needs process.getBuiltinModule, which Node 20.18.1 and later have.',
  );
}
