/** `readProfile`: the profile of the options, or of the file that MARKET_PROFILE names. */

import { invalidOption } from '../errors/configuration-error.js';
import type { Profile } from './profile.js';
import { checkProfile } from './profile-schema.js';

/**
 * @param path - of a file, if the options have no profile
 * @throws {@link ConfigurationError} that names the key that breaks a rule, or the file that cannot be read.
 */
export function readProfile(profile: unknown, path: string | undefined): Profile | undefined {
  if (profile !== undefined) return checkProfile(profile);
  return path === undefined ? undefined : checkProfile(readFile(path));
}

function readFile(path: string): unknown {
  try {
    // Not an import, which a bundle for a runtime without files would have to resolve.
    const text = process.getBuiltinModule('node:fs').readFileSync(path, 'utf8');
    return JSON.parse(text) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidOption('profile', `cannot be read from MARKET_PROFILE, ${path}: ${reason}`, error);
  }
}
