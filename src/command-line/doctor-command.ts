/** The command `market-partner-sdk doctor`: whether this machine reaches the service, and with which credential. */

import type { Command } from 'commander';
import { scopes } from '../testing/credentials.js';
import { envFileOption, variablesOf, type EnvFileArguments } from './env-file.js';
import { isRecord } from '../core/json.js';
import type { ReadForm } from './doctor/learn-report.js';
import type { DoctorContext } from './doctor/run-checks.js';
import { readProfile } from './profile-file.js';
import { readJsonFile } from './state-file.js';
import { UsageError, type CommandTerminal } from './terminal.js';
import { namesOf } from './values.js';

interface DoctorOptions extends EnvFileArguments {
  readonly scopes?: readonly string[];
  readonly proxy?: string;
  readonly json?: boolean;
  readonly live?: boolean;
  readonly learn?: string;
  readonly quote?: boolean;
  readonly sale?: string;
  readonly profile?: string;
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
    .option(
      '--learn <file>',
      'read how the sandbox answers, at most 18 reads one after the other, and write it: market.profile.json',
    )
    .option('--quote', 'with --learn: ask for one quote, too; it reserves a domain for ten minutes')
    .option(
      '--sale <file>',
      'with --learn: the JSON of an order as it was sent, to find its values',
    )
    .option(
      '--profile <file>',
      'compare the service with this profile; MARKET_PROFILE unless given',
    )
    .addHelpText('after', '\nExample: market-partner-sdk doctor --scopes "search,buy"')
    .action(async (given: DoctorOptions) => {
      const { scopes: neededScopes = [], proxy, json, live = false } = given;
      const { out, stop, exitWith } = terminal;
      const env = await variablesOf(terminal, given);
      // Not at the top: the other commands do not need the client.
      const { runChecks } = await import('./doctor/run-checks.js');
      const { conclusion, printCheck } = await import('./doctor/report.js');
      const isLiveAllowed = live && given.learn === undefined;
      const profile = await readProfile(given.profile ?? env.MARKET_PROFILE);
      const comparesForm = given.learn !== undefined || profile !== undefined;
      const context = { env, neededScopes, stop, proxy, isLiveAllowed, profile, comparesForm };
      const report = await runChecks(context, {
        onCheck: (each) => !json && printCheck(each, terminal),
        onProgress: terminal.progress,
      });
      if (!json) out(`\n${conclusion(report)}\n`);
      const form = report.ok && comparesForm ? await readForm(given, context) : undefined;
      const ok = report.ok && form?.differs !== true;
      if (json) out(`${JSON.stringify({ ...report, ok, form: form?.rows ?? null })}\n`);
      else if (form !== undefined) out(`\n${form.text}`);
      exitWith(ok ? 0 : 1);
    });
}

/** Learns how the service answers, or compares it with a profile. */
async function readForm(
  { learn: file, quote = false, sale: saleFile }: DoctorOptions,
  context: DoctorContext,
): Promise<ReadForm> {
  const { createClient } = await import('./doctor/run-checks.js');
  const { compareWithProfile, learnSandbox } = await import('./doctor/learn-report.js');
  const sale = saleFile === undefined ? undefined : await readSale(saleFile);
  const options = { quote: quote && file !== undefined, sale, signal: context.stop };
  const market = createClient(context);
  try {
    return await (file === undefined
      ? compareWithProfile(market, context.profile ?? { version: 1 }, options)
      : learnSandbox(market, file, options));
  } finally {
    await market.close();
  }
}

async function readSale(file: string): Promise<Readonly<Record<string, unknown>>> {
  const sale = await readJsonFile('--sale', file);
  if (isRecord(sale)) return sale;
  throw new UsageError(`"--sale" ${file} must hold the JSON of an order`);
}
