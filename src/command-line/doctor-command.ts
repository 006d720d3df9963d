/** The command `market-partner-sdk doctor`: whether this machine reaches the service, and with which credential. */

import type { Command } from 'commander';
import { scopes } from '../testing/credentials.js';
import { envFileOption, variablesOf, type EnvFileArguments } from './env-file.js';
import type { CommandTerminal } from './terminal.js';
import { namesOf } from './values.js';

interface DoctorOptions extends EnvFileArguments {
  readonly scopes?: readonly string[];
  readonly proxy?: string;
  readonly json?: boolean;
  readonly live?: boolean;
}

/** Its exit code is 0 when every check passed, else 1. */
export function addDoctor(program: Command, terminal: CommandTerminal) {
  program
    .command('doctor')
    .summary('check the connection, the credential and the clock')
    .description(
      'Sends one signed read for each scope with MARKET_BASE_URL, MARKET_KEY_ID and MARKET_SECRET, and reports what is wrong with the connection, TLS, the credential or the clock. It changes nothing at the service. It ends with 0 when all is well, with 1 when a check failed.',
    )
    .option(
      '--scopes <list>',
      'scopes that your program needs: search,buy; a missing one is then a failure',
      namesOf(scopes),
    )
    .option('--proxy <address>', "as the client's option: environment, or a proxy's address")
    .addOption(envFileOption())
    .option('--json', 'print one JSON object')
    .option('--live', 'allow a live credential')
    .addHelpText('after', '\nExample: market-partner-sdk doctor --scopes "search,buy"')
    .action(async (given: DoctorOptions) => {
      const { scopes: neededScopes = [], proxy, json, live = false } = given;
      const { out, stop, exitWith } = terminal;
      const env = await variablesOf(terminal, given);
      // Not at the top: the other commands do not need the client.
      const { runChecks } = await import('./doctor/run-checks.js');
      const { reportText } = await import('./doctor/report.js');
      const report = await runChecks({ env, neededScopes, stop, proxy, isLiveAllowed: live });
      out(json ? `${JSON.stringify(report)}\n` : reportText(report));
      exitWith(report.ok ? 0 : 1);
    });
}
