/** The command `market-partner-sdk emulator`. */

import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import type { Command } from 'commander';
import { scopes, type EmulatorCredential, type Scope } from '../testing/credentials.js';
import type { MarketEmulator } from '../testing/emulator.js';
import { isLoopback } from '../testing/http/loopback.js';
import type { ListingInput } from '../testing/market/records.js';
import type { EmulatorOptions } from '../testing/options.js';
import { isEmulator } from './control-client.js';
import { addEmulatorOptions, webhookSecret, type EmulatorArguments } from './emulator-arguments.js';
import { deliveryLine, deliveryObject, requestLine, requestObject } from './log-lines.js';
import { readProfile } from './profile-file.js';
import { readJsonFile, StateFile } from './state-file.js';
import { messageOf, untilAborted, UsageError, type CommandTerminal } from './terminal.js';

/** The longest that a timer can be. */
const longestMs = 2 ** 31 - 1;

/** One credential for each kind of partner, and one with every scope. */
const scopeSets: readonly { readonly name: string; readonly scopes: readonly Scope[] }[] = [
  { name: 'everything', scopes },
  { name: 'search', scopes: ['search'] },
  { name: 'merchant of record', scopes: ['search', 'buy', 'report', 'webhook'] },
  { name: 'hosted checkout', scopes: ['search', 'embed', 'report', 'webhook'] },
  { name: 'brokerage', scopes: ['broker', 'report', 'webhook'] },
  { name: 'affiliate', scopes: ['refer', 'report'] },
];

interface NamedCredential extends EmulatorCredential {
  readonly name: string;
}

export function addEmulator(program: Command, terminal: CommandTerminal): void {
  addEmulatorOptions(program.command('emulator'))
    .summary('run a stand-in for the service on this machine')
    .description('Runs a stand-in for the service on this machine until Ctrl-C.')
    .addHelpText('after', '\nExample: market-partner-sdk emulator --open')
    .action(async (given: EmulatorArguments) => {
      terminal.exitWith(await runEmulator(given, terminal));
    });
}

/** Resolves with 0 after a clean stop, 1 when it could not start. */
async function runEmulator(
  { state: file, ...given }: EmulatorArguments,
  terminal: CommandTerminal,
): Promise<number> {
  let state: StateFile | undefined;
  try {
    state = file === undefined ? undefined : await StateFile.open(file);
  } catch (error) {
    terminal.err(`The emulator could not start: ${messageOf(error)}\n`);
    return 1;
  }
  // It does not hold the process by itself.
  const alive = setInterval(() => undefined, longestMs);
  try {
    return await runWithState(given, state, terminal);
  } finally {
    clearInterval(alive);
    await state?.close();
  }
}

async function runWithState(
  given: EmulatorArguments,
  stateFile: StateFile | undefined,
  terminal: CommandTerminal,
): Promise<number> {
  const { open, env, all, json, seedFile, profile, ...rest } = given;
  const { webhook = [], fault = [], clockAhead = 0, ...options } = rest;
  const { host, port, controlToken } = options;
  // Without a token only this machine may have control.
  const control = options.control && (controlToken !== undefined || isLoopback(host));
  const to = env === true ? 'err' : 'out';
  const inventory = seedFile === undefined ? {} : await readSeedFile(seedFile);
  const form = profile === undefined ? {} : { profile: await readProfile(profile) };
  let emulator: MarketEmulator;
  let page: string | undefined;
  const save = async () => stateFile?.write(emulator.snapshot());
  const print = (text: string, object: unknown) =>
    json ? terminal[to](`${JSON.stringify(object)}\n`) : terminal.row(text, { to });
  try {
    // Not at the top: the other commands do not need it.
    const { MarketEmulator } = await import('../testing/emulator.js');
    emulator = await MarketEmulator.start({
      ...options,
      control,
      ...inventory,
      ...form,
      ...(stateFile === undefined ? {} : { saveState: save }),
      onRequest: (request) => print(requestLine(request), requestObject(request)),
      onDelivery: (delivery) => print(deliveryLine(delivery), deliveryObject(delivery)),
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(asArgument(error.message));
    terminal.err(`The emulator could not start: ${await whyNotStarted(error, port, host)}\n`);
    return 1;
  }
  try {
    await stateFile?.read(emulator);
    // The clock of a restored state may be ahead already.
    emulator.clock.advance(Math.max(clockAhead - emulator.clock.offsetMs, 0));
    for (const { match, faults, ...times } of fault) {
      if (match === 'next') emulator.faults.next(faults, times);
      else emulator.faults.on(match, faults, times);
    }
    for (const { url, secret } of webhook) emulator.admin.registerWebhook(url, secret);
    const credentials = credentialsOf(emulator);
    // A file that cannot be written shows now, and not when there is something to lose.
    await save();
    page = control ? consoleUrl(emulator) : undefined;
    await printStart(emulator, credentials, { ...options, env, all, json }, page, terminal);
  } catch (error) {
    await emulator.stop();
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
  if (open) void openConsole(page, terminal);
  await untilAborted(terminal.stop);
  // Saved first: what is stopped has dropped the deliveries that are due later.
  await Promise.all([save(), emulator.stop()]);
  print('Stopped.', { type: 'stop' });
  return 0;
}

/** The emulator names its option `"publicUrl"`, the command `"--public-url"`. */
function asArgument(message: string): string {
  if (message.startsWith('"inventory')) return message.replace('inventory', '--seed-file');
  return message.replace(/^"(\w+)"/, (_, name: string) => {
    return `"--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}"`;
  });
}

async function readSeedFile(file: string): Promise<Pick<EmulatorOptions, 'inventory'>> {
  const listings = await readJsonFile('--seed-file', file);
  if (!Array.isArray(listings)) {
    throw new UsageError(`"--seed-file" ${file} must hold an array of listings`);
  }
  return { inventory: listings as ListingInput[] };
}

/** The credentials of a restored state, and new ones for the sets of scopes that it lacks. */
function credentialsOf(emulator: MarketEmulator): NamedCredential[] {
  const restored = emulator.snapshot().credentials;
  return scopeSets.map(({ name, scopes: wanted }) => {
    const known = restored.find((each) => each.scopes.join() === wanted.join());
    return { name, ...(known ?? emulator.createCredential({ scopes: wanted })) };
  });
}

const listening = 'The emulator listens. Stop it with Ctrl-C.';

/** What decides how the start is printed. */
interface StartOptions {
  readonly host: string;
  readonly control: boolean;
  readonly env: string | true | undefined;
  readonly all: boolean | undefined;
  readonly json: boolean | undefined;
}

async function printStart(
  emulator: MarketEmulator,
  credentials: readonly NamedCredential[],
  given: StartOptions,
  page: string | undefined,
  { out, err }: CommandTerminal,
): Promise<void> {
  const addresses = {
    baseUrl: emulator.baseUrl,
    control: page === undefined ? undefined : `${page}v1`,
    console: page,
  };
  if (given.env) {
    const variables = [
      ...environmentLines(emulator, credentials[0]),
      `MARKET_WEBHOOK_SECRET=${webhookSecretOf(emulator, credentials[0])}`,
      ...programLines(credentials[0]),
    ];
    const lines = `${variables.join('\n')}\n`;
    if (given.env === true) out(lines);
    else await writeEnvFile(given.env, lines);
    const log = given.env === true ? err : out;
    const text = [listening, ...controlText(given, page)].join('\n');
    log(`${given.json ? JSON.stringify({ type: 'start', ...addresses }) : text}\n`);
  } else if (given.json) {
    out(`${JSON.stringify({ type: 'start', ...addresses, credentials })}\n`);
  } else {
    const shown = given.all ? credentials : credentials.slice(0, 1);
    const lines = [
      listening,
      '',
      ...shown.flatMap((each) => [
        `# ${each.name}: ${each.scopes.join(', ')}`,
        ...environmentLines(emulator, each).map((line) => `export ${line}`),
        '',
      ]),
      ...(given.all ? [] : ['--all prints credentials of other scopes; --env a .env file.']),
      ...controlText(given, page),
    ];
    out(`${lines.join('\n')}\n`);
  }
}

/** The shell's `>` would do, but Windows PowerShell writes UTF-16, which Node does not read. */
async function writeEnvFile(file: string, lines: string): Promise<void> {
  await writeFile(file, lines, { mode: 0o600 }).catch((error: unknown) => {
    throw new Error(`"--env" cannot be written: ${messageOf(error)}`, { cause: error });
  });
}

function controlText({ control, host }: StartOptions, page: string | undefined) {
  if (page !== undefined) return [`Control over HTTP: ${page}v1`, `Console: ${page}`];
  if (!control) return [];
  return [
    `No control over HTTP and no console: others can reach ${host}. --control-token <text> allows both.`,
  ];
}

/** The address is printed at the start too, so that a machine without a browser is no error. */
async function openConsole(
  page: string | undefined,
  { openUrl, err }: CommandTerminal,
): Promise<void> {
  if (page === undefined) {
    err('--open: there is no console, because there is no control over HTTP.\n');
  } else if ((await openUrl?.(page)) === false) {
    err(`--open: there is no browser on this machine. The console is ${page}\n`);
  }
}

/** Why it could not start; if its port is in use, by what. */
async function whyNotStarted(error: unknown, port: number, host: string): Promise<string> {
  const { code } = Object(error) as { code?: unknown };
  if (code !== 'EADDRINUSE') return messageOf(error);
  const name = isIPv6(host) ? `[${host}]` : host;
  const responds = await isEmulator(`http://${name}:${port}`, 1_000);
  const by = responds ? 'another emulator, which responds' : 'another program';
  return `port ${port} is in use by ${by}. Choose another one: --port ${port + 1}`;
}

function consoleUrl({ baseUrl }: MarketEmulator): string {
  return `${new URL(baseUrl).origin}/_emulator/`;
}

/** What the registered endpoint is signed with. Without one the program chooses it, and registers it. */
function webhookSecretOf(
  emulator: MarketEmulator,
  credential: NamedCredential | undefined,
): string {
  const { accounts } = emulator.snapshot().market;
  const account = accounts.find(
    ({ partnerId, environment }) =>
      partnerId === credential?.partnerId && environment === credential.environment,
  );
  return account?.webhook?.secret ?? webhookSecret;
}

/** The secrets that the programs to copy need besides: the same at each start, as the credential is. */
function programLines(credential: NamedCredential | undefined): string[] {
  return ['PAYMENT_SECRET', 'SHOP_TOKEN'].map((name) => {
    const hash = createHash('sha256').update(`${name} ${credential?.secret ?? ''}`);
    return `${name}=${hash.digest('hex').slice(0, 32)}`;
  });
}

function environmentLines(
  { baseUrl }: MarketEmulator,
  credential: NamedCredential | undefined,
): string[] {
  return [
    `MARKET_BASE_URL=${baseUrl}`,
    `MARKET_KEY_ID=${credential?.keyId ?? ''}`,
    `MARKET_SECRET=${credential?.secret ?? ''}`,
  ];
}
