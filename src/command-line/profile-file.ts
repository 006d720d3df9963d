/** `readProfile`: the profile of a file. */

import { checkProfile } from '../client/profile/profile-schema.js';
import type { Profile } from '../client/profile/profile.js';
import { readJsonFile } from './state-file.js';
import { messageOf, UsageError } from './terminal.js';

/** @throws {@link UsageError} that names the file, and the first key that breaks a rule. */
export async function readProfile(file = ''): Promise<Profile | undefined> {
  if (file === '') return undefined;
  const given = await readJsonFile('--profile', file);
  try {
    return checkProfile(given);
  } catch (error) {
    throw new UsageError(`"--profile" ${file}: ${messageOf(error)}`);
  }
}
