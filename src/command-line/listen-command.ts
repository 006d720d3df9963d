/** The command `market-partner-sdk listen`: the event history, delivered to a local receiver. */

import type { Command } from 'commander';
import { webhookSecret } from './emulator-arguments.js';
import { envFileOption, variablesOf, type EnvFileArguments } from './env-file.js';
import { readProfile } from './profile-file.js';
import type { CommandTerminal } from './terminal.js';
import { httpAddress, notBlank, required } from './values.js';

/** That of `emulator --env`: a program that reads its file needs no other. */
const defaultSecret = webhookSecret;

interface ListenArguments extends EnvFileArguments {
  readonly forwardTo?: string;
  readonly secret: string;
  readonly fromBeginning?: boolean;
  readonly replay?: string;
  readonly cursorFile: string;
  readonly live?: boolean;
}

export function addListen(program: Command, terminal: CommandTerminal): void {
  program
    .command('listen')
    .summary('deliver the event history to a local receiver')
    .description(
      'Reads the event history with MARKET_BASE_URL, MARKET_KEY_ID and MARKET_SECRET, signs each new event with a local secret and posts it to your receiver. No tunnel is needed. It starts with the next event, and resumes where it left off after a restart. While the receiver does not respond, events wait.',
    )
    .option('--forward-to <url>', 'your receiver', httpAddress)
    .option('--secret <text>', 'the secret that your receiver expects', notBlank, defaultSecret)
    .option('--from-beginning', 'start with the first event of the history')
    .option('--replay <event id>', 'post this event again and end')
    .option(
      '--cursor-file <file>',
      'where it stores its position',
      '.market-partner-sdk-listen.json',
    )
    .addOption(envFileOption())
    .option('--live', 'allow a live credential')
    .addHelpText(
      'after',
      '\nExample: market-partner-sdk listen --forward-to http://localhost:3000/webhooks',
    )
    .action((given: ListenArguments) => listen(given, terminal));
}

async function listen(given: ListenArguments, terminal: CommandTerminal): Promise<void> {
  const forwardTo = required('--forward-to', given.forwardTo);
  // Not at the top: the other commands do not need the client.
  const { MarketClient } = await import('../client/client.js');
  const { followHistory, replayEvent } = await import('./listen/follow-history.js');
  const env = await variablesOf(terminal, given);
  const { events } = (await readProfile(env.MARKET_PROFILE)) ?? {};
  const market = new MarketClient({
    baseUrl: env.MARKET_BASE_URL,
    keyId: env.MARKET_KEY_ID,
    secret: env.MARKET_SECRET,
    forbidLive: given.live !== true,
    // Nothing else of it: the receiver gets the service's own form, as in a delivery.
    profile: { version: 1, ...(events && { events }) },
  });
  const options = { ...given, forwardTo, isDefaultSecret: given.secret === defaultSecret };
  try {
    if (given.replay === undefined) await followHistory(market, options, terminal);
    else if (!(await replayEvent(market, given.replay, options, terminal))) terminal.exitWith(1);
  } finally {
    await market.close();
  }
}
