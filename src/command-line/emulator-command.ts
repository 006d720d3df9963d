/** The command `market-partner-sdk emulator`. */

import { readFile, rename, writeFile } from 'node:fs/promises';
import { readFaults } from '../testing/control/fault-input.js';
import { scopes, type EmulatorCredential, type Scope } from '../testing/credentials.js';
import { MarketEmulator } from '../testing/emulator.js';
import type { ListingInput } from '../testing/market/records.js';
import type { EmulatorOptions } from '../testing/options.js';
import type { EmulatorSnapshot } from '../testing/snapshot.js';
import { readEmulatorArguments } from './emulator-arguments.js';
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
  const save = async () => {
    if (stateFile !== undefined) await writeState(stateFile, emulator.snapshot());
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
    terminal.err(`The emulator could not start: ${messageOf(error)}\n`);
    return error instanceof TypeError ? 2 : 1;
  }
  try {
    if (stateFile !== undefined) await readState(stateFile, emulator);
    emulator.clock.advance(command.clockAheadMs);
    for (const { match, fault, times } of command.faults) {
      const options = times === undefined ? {} : { times };
      if (match === 'next') emulator.faults.next(readFaults(fault), options);
      else emulator.faults.on(match, readFaults(fault), options);
    }
    for (const { url, secret } of command.webhooks) emulator.admin.registerWebhook(url, secret);
    printStart(emulator, credentialsOf(emulator), command, terminal);
  } catch (error) {
    await emulator.stop();
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
  if (command.isOpen && command.options.control) terminal.openUrl?.(consoleUrl(emulator));
  await untilAborted(terminal.stop);
  await emulator.stop();
  await save();
  print('Stopped.', { type: 'stop' });
  return 0;
}

async function readSeedFile(file: string): Promise<Pick<EmulatorOptions, 'inventory'>> {
  const listings = await readJsonFile('--seed-file', file);
  if (!Array.isArray(listings)) {
    throw new UsageError(`"--seed-file" ${file} must hold an array of listings`);
  }
  return { inventory: listings as ListingInput[] };
}

/** A file that is not there is the first start. */
async function readState(file: string, emulator: MarketEmulator): Promise<void> {
  const state = await readJsonFile('--state', file, null);
  if (state !== null) emulator.restore(state as EmulatorSnapshot);
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

/** A new file takes the old one's place at once: no crash leaves half a state. */
async function writeState(file: string, state: EmulatorSnapshot): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, JSON.stringify(state), { mode: 0o600 });
  await rename(temporary, file);
}

/** The credentials of a restored state, and new ones for the sets of scopes that it has not. */
function credentialsOf(emulator: MarketEmulator): NamedCredential[] {
  const restored = emulator.snapshot().credentials;
  return scopeSets.map(({ name, scopes: wanted }) => {
    const known = restored.find((each) => each.scopes.join() === wanted.join());
    return { name, ...(known ?? emulator.createCredential({ scopes: wanted })) };
  });
}

function printStart(
  emulator: MarketEmulator,
  credentials: readonly NamedCredential[],
  { isEnv, isJson, options }: ReturnType<typeof readEmulatorArguments>,
  { out }: Terminal,
): void {
  const page = options.control ? consoleUrl(emulator) : undefined;
  const control = page === undefined ? undefined : `${page}v1`;
  if (isEnv) out(environmentLines(emulator, credentials.slice(0, 1)).join('\n') + '\n');
  else if (isJson) {
    const { baseUrl } = emulator;
    out(`${JSON.stringify({ type: 'start', baseUrl, control, console: page, credentials })}\n`);
  } else {
    const lines = [
      'The emulator listens. Stop it with Ctrl-C.',
      '',
      `MARKET_BASE_URL=${emulator.baseUrl}`,
      '',
      ...credentials.flatMap((each) => [
        `# ${each.name}: ${each.scopes.join(', ')}`,
        ...environmentLines(emulator, [each]).slice(1),
        '',
      ]),
      ...(control === undefined ? [] : [`Control over HTTP: ${control}`, `Console: ${page}`]),
    ];
    out(`${lines.join('\n')}\n`);
  }
}

function consoleUrl({ baseUrl }: MarketEmulator): string {
  return `${new URL(baseUrl).origin}/_emulator/`;
}

function environmentLines(
  { baseUrl }: MarketEmulator,
  credentials: readonly NamedCredential[],
): string[] {
  return [
    `MARKET_BASE_URL=${baseUrl}`,
    ...credentials.flatMap(({ keyId, secret }) => [
      `MARKET_KEY_ID=${keyId}`,
      `MARKET_SECRET=${secret}`,
    ]),
  ];
}
