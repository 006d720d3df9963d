/** The command `market-partner-sdk rehearse`. */

import { resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import type { RehearsalOptions } from './rehearse/options.js';
import { readProfile } from './profile-file.js';
import { UsageError, type CommandTerminal } from './terminal.js';
import { required, unknownName, wholeNumber } from './values.js';

type SameAsTyped = 'ask' | 'withdraw' | 'webhook' | 'beforeEach' | 'port' | 'seed' | 'repeat';

interface RehearseArguments extends Pick<RehearsalOptions, SameAsTyped> {
  readonly sell?: string;
  readonly only?: readonly string[];
  readonly patience: number;
  readonly outage: number;
  readonly startWithin: number;
  readonly out: string;
  readonly profile?: string;
}

const seconds = wholeNumber(1, 3_600);

export function addRehearse(program: Command, terminal: CommandTerminal): void {
  program
    .command('rehearse')
    .usage('--sell <command or url> [options] -- <program>')
    .argument('<program...>', 'your program and its arguments, after --')
    .summary('play your own program under every fault, before it goes live')
    .description(
      `Plays your program against an emulator of the service with every fault: lost responses, moved prices, kills, forged webhooks. It starts <program> with MARKET_BASE_URL, MARKET_KEY_ID, MARKET_SECRET, MARKET_WEBHOOK_SECRET and PORT, waits until it listens, sells, and asks the emulator's books what became of each payment.`,
    )
    .option(
      '--sell <command or url>',
      'tells the program that {payment} was made for {domain}. A url gets a POST. Let it repeat as often as your payment provider does',
      withHolders('payment', 'domain'),
    )
    .option(
      '--ask <command or url>',
      'prints placed, refused or open for {payment}; refused: the buyer is paid back. With the cents that were paid back, "refused 51200", it shows money that goes out twice',
      withHolders('payment'),
    )
    .option(
      '--withdraw <command or url>',
      'tells the program that the buyer of {payment} withdraws. A url gets a POST',
      withHolders('payment'),
    )
    .option('--webhook <url>', "the program's receiver of deliveries", ownAddress)
    .option(
      '--before-each <command>',
      "empties the program's database; each case then plays by itself, which takes four times as long",
    )
    .option('--port <number>', "the program's port", wholeNumber(1, 65_535), 3_000)
    .option('--only <names>', 'play these cases, with commas between them', names)
    .option('--seed <number>', 'another seed gives other random faults', wholeNumber(), 1)
    .option('--repeat <number>', 'play everything this many times', wholeNumber(1, 1_000), 1)
    .option('--patience <seconds>', 'how long a sale may take to end after a fault', seconds, 75)
    .option('--outage <seconds>', 'how long the service is away in the case outage', seconds, 20)
    .option('--start-within <seconds>', 'how long the program may take to listen', seconds, 30)
    .option(
      '--profile <file>',
      'answer as this profile says; the program gets it as MARKET_PROFILE',
    )
    .option('--out <folder>', 'report.md, report.json and program.log', 'rehearsal')
    .addHelpText(
      'after',
      `
Exit code: 0 all held, 2 something did not hold or a fault never came, 1 it could not be run.

Example: market-partner-sdk rehearse --sell "http://localhost:3000/buy?name={domain}&id={payment}" -- node server.js`,
    )
    .action(async (command: readonly string[], given: RehearseArguments) => {
      terminal.exitWith(await rehearse(command, given, terminal));
    });
}

async function rehearse(
  command: readonly string[],
  { sell, only = [], patience, outage, startWithin, out, profile, ...given }: RehearseArguments,
  terminal: CommandTerminal,
): Promise<number> {
  if (process.platform === 'win32') {
    throw new Error('rehearse ends programs by process group, so use Linux, macOS or WSL');
  }
  const { env = {}, cwd = process.cwd() } = terminal;
  const options: RehearsalOptions = {
    ...given,
    command,
    sell: required('--sell', sell),
    only,
    cwd,
    env: profile === undefined ? env : { ...env, MARKET_PROFILE: resolve(cwd, profile) },
    patienceMs: patience * 1_000,
    outageMs: outage * 1_000,
    startWithinMs: startWithin * 1_000,
    profile: await readProfile(profile),
  };
  // Not at the top: the other commands need neither the catalog nor the emulator.
  const { caseNames, runRehearsal, unmetNeed } = await import('./rehearse/run-rehearsal.js');
  for (const name of only) {
    if (!caseNames.includes(name)) throw new UsageError(`--only: ${unknownName(name, caseNames)}`);
    const missing = unmetNeed(name, options);
    if (missing !== undefined) throw new UsageError(`--only ${name} needs --${missing}`);
  }
  return runRehearsal(options, out, terminal);
}

function withHolders(...holders: readonly string[]) {
  return (text: string): string => {
    const missing = holders.find((holder) => !text.includes(`{${holder}}`));
    if (missing === undefined) return text;
    throw new InvalidArgumentError(`It must be a command or an address with {${missing}} in it.`);
  };
}

function ownAddress(text: string): string {
  if (/^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(text)) return text;
  throw new InvalidArgumentError('It must be an http address of this machine.');
}

function names(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, ...text.split(',').map((name) => name.trim())];
}
