/** The command `market-partner-sdk rehearse`: its help, and its checked arguments. */

import { parseArgs } from 'node:util';
import { intendedName } from '../field-names.js';
import type { RehearsalOptions } from './rehearse/options.js';
import { UsageError, type Terminal } from './terminal.js';

export const rehearseUsage = `market-partner-sdk rehearse --sell <command or url> [options] -- <program>

Plays your program against an emulator of the service with every fault: lost responses, moved prices, kills,
forged webhooks. It starts <program> with MARKET_BASE_URL, MARKET_KEY_ID, MARKET_SECRET,
MARKET_WEBHOOK_SECRET and PORT, waits until it listens, sells, and asks the emulator's books what became of
each payment.

  --sell <command or url>  tells the program that {payment} was made for {domain}. A url gets a POST. Let it
                           repeat as often as your payment provider does
  --ask <command or url>   prints placed, refused or open for {payment}; refused: the buyer is paid back
  --webhook <url>          the program's receiver of deliveries
  --port <number>          the program's port (3000)
  --only <names>           play these cases, with commas between them
  --seed <number>          another seed gives other random faults (1)
  --repeat <number>        play everything this many times (1)
  --patience <seconds>     how long a sale may take to its end after a fault (75)
  --outage <seconds>       how long the service is away in the case outage (20)
  --start-within <seconds> how long the program may take until it listens (30)
  --out <folder>           report.md, report.json and program.log (rehearsal)

Exit code: 0 all held, 2 something did not hold or a fault never came, 1 it could not be run.

Example: market-partner-sdk rehearse --sell 'http://localhost:3000/buy?name={domain}&id={payment}' -- node server.js
`;

export async function runRehearse(args: readonly string[], terminal: Terminal): Promise<number> {
  const { options, out } = readArguments(args, terminal);
  if (process.platform === 'win32') {
    throw new Error('rehearse ends programs by their process group: run it on Linux, macOS or WSL');
  }
  // Not at the top: the other commands need neither the catalog nor the emulator.
  const { caseNames, runRehearsal, unmetNeed } = await import('./rehearse/run-rehearsal.js');
  for (const name of options.only) {
    if (!caseNames.includes(name)) {
      const intended = intendedName(name, caseNames);
      const hint =
        intended === undefined ? `cases: ${caseNames.join(', ')}` : `did you mean ${intended}?`;
      throw new UsageError(`"--only" has no case ${name}; ${hint}`);
    }
    const missing = unmetNeed(name, options);
    if (missing !== undefined) throw new UsageError(`"--only" ${name} needs --${missing}`);
  }
  return runRehearsal(options, out, terminal);
}

function readArguments(
  args: readonly string[],
  { env = {}, cwd = process.cwd() }: Terminal,
): { options: RehearsalOptions; out: string } {
  const { values, positionals } = parse(args);
  const { sell = '', ask, webhook } = values;
  if (positionals.length === 0) throw new UsageError('give your program after "--"');
  requireHolder('sell', sell, 'payment');
  requireHolder('sell', sell, 'domain');
  if (ask !== undefined) requireHolder('ask', ask, 'payment');
  if (webhook !== undefined && !/^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(webhook)) {
    throw new UsageError('"--webhook" must be an http address of this machine');
  }
  const options = {
    command: positionals,
    sell,
    ask,
    webhook,
    port: wholeNumber('port', values.port, 1, 65_535),
    only: values.only.flatMap((names) => names.split(',')).map((name) => name.trim()),
    seed: wholeNumber('seed', values.seed, 0, Number.MAX_SAFE_INTEGER),
    repeat: wholeNumber('repeat', values.repeat, 1, 1_000),
    patienceMs: wholeNumber('patience', values.patience, 1, 3_600) * 1_000,
    outageMs: wholeNumber('outage', values.outage, 1, 3_600) * 1_000,
    startWithinMs: wholeNumber('start-within', values['start-within'], 1, 3_600) * 1_000,
    cwd,
    env,
  };
  return { options, out: values.out };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      sell: { type: 'string' },
      ask: { type: 'string' },
      webhook: { type: 'string' },
      port: { type: 'string', default: '3000' },
      only: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string', default: '1' },
      repeat: { type: 'string', default: '1' },
      patience: { type: 'string', default: '75' },
      outage: { type: 'string', default: '20' },
      'start-within': { type: 'string', default: '30' },
      out: { type: 'string', default: 'rehearsal' },
    },
  });
}

function requireHolder(option: string, text: string, holder: string): void {
  if (text.includes(`{${holder}}`)) return;
  throw new UsageError(`"--${option}" must be a command or an address with {${holder}} in it`);
}

function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(
    `"--${option}" must be a whole number from ${least} to ${most}; got ${text}`,
  );
}
