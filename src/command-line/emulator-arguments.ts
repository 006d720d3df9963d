/** The options of `market-partner-sdk emulator`. */

import { InvalidArgumentError, Option, type Command } from 'commander';
import { readFaults } from '../testing/control/fault-input.js';
import type { Fault } from '../testing/faults/fault.js';
import { createMatcher } from '../testing/faults/match.js';
import type { EmulatorOptions } from '../testing/options.js';
import { messageOf, UsageError } from './terminal.js';
import { duration, wholeNumber } from './values.js';

/** What `--env` prints for a program that registers its endpoint with it. */
export const webhookSecret = 'whsec_of_this_machine';

/** What the emulator itself takes, and what the command does with it. */
export interface EmulatorArguments extends Omit<EmulatorOptions, 'profile'> {
  readonly port: number;
  readonly host: string;
  readonly control: boolean;
  readonly open?: boolean;
  readonly env?: string | true;
  readonly all?: boolean;
  readonly json?: boolean;
  readonly state?: string;
  readonly webhook?: readonly Webhook[];
  readonly fault?: readonly StartFault[];
  readonly seedFile?: string;
  /** The file. */
  readonly profile?: string;
  /** Milliseconds. */
  readonly clockAhead?: number;
}

interface Webhook {
  readonly url: string;
  readonly secret: string;
}

/** A fault that is armed from the start. */
interface StartFault {
  /** `'next'`, or the calls that it applies to. */
  readonly match: string;
  readonly faults: readonly Fault[];
  readonly times?: number;
}

export function addEmulatorOptions(command: Command): Command {
  return command
    .option('--port <number>', 'port to listen on', wholeNumber(0, 65_535), 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--path-prefix <path>', 'a path before all others, as behind a gateway: /gateway')
    .option(
      '--public-url <url>',
      'where callers reach it, for its links; the Host of each request unless given',
    )
    .option('--open', 'open the console in the browser')
    .option('--env [file]', 'write a .env file; without a name print it, and the log to stderr')
    .option('--all', 'print a credential for each kind of partner')
    .option('--json', 'print one JSON object a line')
    .option('--state <file>', 'read the state at the start, write it at the end')
    .option(
      '--webhook <url=secret>',
      'deliver events to this address, signed with this secret',
      readWebhook,
    )
    .option(
      '--fault <calls=fault>',
      'a fault from the start: "POST /orders=resetAfterWork*2"; may be repeated',
      readFaultOption,
    )
    .option(
      '--seed <number>',
      'other domains and credentials than those of 1; orders and events then have the same ids at each start',
      wholeNumber(),
    )
    .option(
      '--seed-file <file>',
      'JSON with the listed domains: [{ "domain", "price_cents" }, ...]',
    )
    .option('--clock-ahead <time>', 'how far the service\'s clock is ahead: "11 minutes"', duration)
    .option('--profile <file>', 'answer as this profile says: what doctor --learn wrote')
    .addOption(choice('--deliver-to <where>', 'where webhooks may go', ['loopback', 'anywhere']))
    .option(
      '--control-token <text>',
      'every control request must carry this token; required for control on an address that is not loopback',
    )
    .option('--no-control', 'no control over HTTP under /_emulator/v1');
}

function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).default(choices[0]);
}

/**
 * A secret may hold "=": it begins after the first one, or where the address has a query, at
 * "whsec_" or after the last one that is no padding.
 */
function readWebhook(text: string, earlier: readonly Webhook[] = []): readonly Webhook[] {
  const [, url, secret] =
    /^(https?:\/\/[^?=]+)=(.+)$/.exec(text) ??
    /^(https?:\/\/.+?)=(whsec_.+)$/.exec(text) ??
    /^(https?:\/\/.+)=([^=]+=*)$/.exec(text) ??
    [];
  if (url !== undefined && secret !== undefined) return [...earlier, { url, secret }];
  // Not an InvalidArgumentError, whose message would repeat the secret.
  throw new UsageError('"--webhook" must be an http address, "=" and the secret');
}

/** `POST /orders=resetAfterWork*2`: which calls, which fault, how often. */
function readFaultOption(text: string, earlier: readonly StartFault[] = []): readonly StartFault[] {
  const [, match, fault, times] = /^([^=]+)=(.+?)(?:\*(\d+))?$/.exec(text) ?? [];
  if (match === undefined || fault === undefined) {
    throw new InvalidArgumentError('It must be like "POST /orders=resetAfterWork".');
  }
  try {
    // Here, and not when it is armed: nothing listens yet.
    if (match !== 'next') createMatcher(match);
    const faults = readFaults(fault);
    if (times === undefined) return [...earlier, { match, faults }];
    return [...earlier, { match, faults, times: wholeNumber(1)(times) }];
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}
