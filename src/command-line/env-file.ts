/** The option `--env-file` of the commands that call the service: variables from a file, as Node reads one. */

import { parseEnv } from 'node:util';
import { Option } from 'commander';
import { messageOf, UsageError, type Terminal } from './terminal.js';
import { readText } from './text-file.js';

/** What {@link variablesOf} takes. */
export interface EnvFileArguments {
  readonly envFile?: string;
}

export function envFileOption(): Option {
  return new Option('--env-file <file>', 'read variables from this file: .env');
}

/** As with Node's own option, a variable of the environment wins over the file. */
export async function variablesOf(
  { env = {} }: Terminal,
  { envFile }: EnvFileArguments,
): Promise<NonNullable<Terminal['env']>> {
  if (envFile === undefined) return env;
  const text = await readText(envFile).catch((error: unknown) => {
    throw new UsageError(`"--env-file" cannot be read: ${messageOf(error)}`);
  });
  return { ...parseEnv(text), ...env };
}
