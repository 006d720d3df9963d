/**
 * node:crypto, loaded at the first signature. Loading it with this module would triple the import
 * time of `./webhooks`, also in processes that never verify anything.
 */

import type * as crypto from 'node:crypto';

let loaded: typeof crypto | undefined;

export function nodeCrypto(): typeof crypto {
  loaded ??= load();
  return loaded;
}

function load(): typeof crypto {
  // Workers have no `process`; the bare name would throw a ReferenceError, which explains nothing.
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (id: 'node:crypto') => typeof crypto };
  };
  const builtin = process?.getBuiltinModule?.('node:crypto');
  if (builtin !== undefined) return builtin;
  throw new Error(
    'Verifying webhooks needs process.getBuiltinModule, which Node 20.18.1 and later have. ' +
      'In Cloudflare Workers it needs the compatibility flag nodejs_compat, or a compatibility date from 2026-08-04 on.',
  );
}
