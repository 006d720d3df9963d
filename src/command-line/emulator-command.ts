/** The command `market-partner-sdk emulator`. */

import { readFile, rename, writeFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { scopes, type EmulatorCredential, type Scope } from '../testing/credentials.js';
import { MarketEmulator } from '../testing/emulator.js';
import type { ListingInput } from '../testing/market/records.js';
import type { EmulatorOptions } from '../testing/options.js';
import type { EmulatorSnapshot } from '../testing/snapshot.js';
import { readEmulatorArguments, type EmulatorArguments } from './emulator-arguments.js';
import { deliveryLine, deliveryObject, requestLine, requestObject } from './log-lines.js';
import { messageOf, untilAborted, UsageError, type Terminal } from './terminal.js';

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

/** Resolves with 0 after a clean stop, 1 when it could not start. */
export async function runEmulator(args: readonly string[], terminal: Terminal): Promise<number> {
  const command = readEmulatorArguments(args);
  const log = command.isEnv ? terminal.err : terminal.out;
  const inventory = command.seedFile === undefined ? {} : await readSeedFile(command.seedFile);
  let emulator: MarketEmulator;
  const stateFile = command.stateFile;
  let saving: Promise<void> = Promise.resolve();
  const save = async () => {
    if (stateFile === undefined) return;
    const state = emulator.snapshot();
    // One after the other: they write to the same temporary file, and the last must be the newest.
    const saved = saving.then(() => writeState(stateFile, state));
    saving = saved.catch(() => undefined);
    await saved;
  };
  const print = (text: string, object: unknown) =>
    log(`${command.isJson ? JSON.stringify(object) : text}\n`);
  try {
    emulator = await MarketEmulator.start({
      ...command.options,
      ...inventory,
      ...(stateFile === undefined ? {} : { saveState: save }),
      onRequest: (request) => print(requestLine(request), requestObject(request)),
      onDelivery: (delivery) => print(deliveryLine(delivery), deliveryObject(delivery)),
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(asArgument(error.message));
    const { port = 0, host = '127.0.0.1' } = command.options;
    terminal.err(`The emulator could not start: ${await whyNotStarted(error, port, host)}\n`);
    return 1;
  }
  try {
    if (stateFile !== undefined) await readState(stateFile, emulator);
    // The clock of a restored state may be ahead already.
    emulator.clock.advance(Math.max(command.clockAheadMs - emulator.clock.offsetMs, 0));
    for (const { match, faults, ...options } of command.faults) {
      if (match === 'next') emulator.faults.next(faults, options);
      else emulator.faults.on(match, faults, options);
    }
    for (const { url, secret } of command.webhooks) emulator.admin.registerWebhook(url, secret);
    const credentials = credentialsOf(emulator);
    // A file that cannot be written shows now, and not when there is something to lose.
    await save();
    printStart(emulator, credentials, command, terminal);
  } catch (error) {
    await emulator.stop();
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
  if (command.isOpen) void openConsole(emulator, command, terminal);
  await untilAborted(terminal.stop);
  // Saved first: what is stopped has dropped the deliveries that are due later.
  await Promise.all([save(), emulator.stop()]);
  print('Stopped.', { type: 'stop' });
  return 0;
}

/** The emulator names its option `"errorShape"`, the command `"--error-shape"`. */
function asArgument(message: string): string {
  if (message.startsWith('"inventory"')) return message.replace('inventory', '--seed-file');
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

/** A missing file means the first start. */
async function readState(file: string, emulator: MarketEmulator): Promise<void> {
  const state = await readJsonFile('--state', file, null);
  if (state === null) return;
  try {
    emulator.restore(state as EmulatorSnapshot);
  } catch (error) {
    throw new Error(`"--state" ${file}: ${messageOf(error)}`, { cause: error });
  }
}

async function readJsonFile(option: string, file: string, missing?: unknown): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing && missing !== undefined) return missing;
    throw new UsageError(`"${option}" cannot be read: ${messageOf(error)}`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`"${option}" ${file} is not JSON: ${messageOf(error)}`);
  }
}

/** Renaming replaces the old file atomically: no crash leaves half a state. */
async function writeState(file: string, state: EmulatorSnapshot): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, JSON.stringify(state), { mode: 0o600 });
    await rename(temporary, file);
  } catch (error) {
    throw new Error(`"--state" cannot be written: ${messageOf(error)}`, { cause: error });
  }
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

function printStart(
  emulator: MarketEmulator,
  credentials: readonly NamedCredential[],
  command: EmulatorArguments,
  { out, err }: Terminal,
): void {
  const page = command.options.control ? consoleUrl(emulator) : undefined;
  const addresses = {
    baseUrl: emulator.baseUrl,
    control: page === undefined ? undefined : `${page}v1`,
    console: page,
  };
  if (command.isEnv) {
    // The webhook's secret is the partner's choice: the program registers it with its endpoint.
    const secret = 'MARKET_WEBHOOK_SECRET=whsec_of_this_machine';
    out(`${[...environmentLines(emulator, credentials[0]), secret].join('\n')}\n`);
    // The output is usually a file.
    const text = [listening, ...controlText(command, page)].join('\n');
    err(`${command.isJson ? JSON.stringify({ type: 'start', ...addresses }) : text}\n`);
  } else if (command.isJson) {
    out(`${JSON.stringify({ type: 'start', ...addresses, credentials })}\n`);
  } else {
    const shown = command.isAll ? credentials : credentials.slice(0, 1);
    const lines = [
      listening,
      '',
      ...shown.flatMap((each) => [
        `# ${each.name}: ${each.scopes.join(', ')}`,
        ...environmentLines(emulator, each).map((line) => `export ${line}`),
        '',
      ]),
      ...(command.isAll ? [] : ['--all prints credentials of other scopes; --env a .env file.']),
      ...controlText(command, page),
    ];
    out(`${lines.join('\n')}\n`);
  }
}

function controlText({ options, isControlOff }: EmulatorArguments, page: string | undefined) {
  if (page !== undefined) return [`Control over HTTP: ${page}v1`, `Console: ${page}`];
  if (isControlOff) return [];
  return [
    `No control over HTTP and no console: others can reach ${options.host ?? ''}. --control-token <text> allows both.`,
  ];
}

/** The address is printed at the start too, so that a machine without a browser is no error. */
async function openConsole(
  emulator: MarketEmulator,
  { options }: EmulatorArguments,
  { openUrl, err }: Terminal,
): Promise<void> {
  if (!options.control) {
    err('--open: there is no console, because there is no control over HTTP.\n');
  } else if ((await openUrl?.(consoleUrl(emulator))) === false) {
    err(`--open: there is no browser on this machine. The console is ${consoleUrl(emulator)}\n`);
  }
}

/** Why it could not start; if its port is in use, by what. */
async function whyNotStarted(error: unknown, port: number, host: string): Promise<string> {
  const { code } = Object(error) as { code?: unknown };
  if (code !== 'EADDRINUSE') return messageOf(error);
  const name = isIPv6(host) ? `[${host}]` : host;
  const isEmulator = await fetch(`http://${name}:${port}/_emulator/health`, {
    signal: AbortSignal.timeout(1_000),
  }).then(
    (response) => response.ok,
    () => false,
  );
  const by = isEmulator ? 'another emulator, which responds' : 'another program';
  return `port ${port} is in use by ${by}. Choose another one: --port ${port + 1}`;
}

function consoleUrl({ baseUrl }: MarketEmulator): string {
  return `${new URL(baseUrl).origin}/_emulator/`;
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
