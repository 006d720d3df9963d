/** openStage: starts the emulator and the program, and registers its webhook. */

import { randomBytes } from 'node:crypto';
import type { Profile } from '../../client/profile/profile.js';
import { MarketEmulator } from '../../testing/emulator.js';
import type { Ledger } from './ledger.js';
import type { RehearsalOptions } from './options.js';
import { isAddress, PartnerCommands } from './partner-commands.js';
import { waitUntil } from './wait-until.js';
import type { ProcessGroups } from './process-groups.js';
import { CouldNotRun, isListening, loopback, PartnerProgram } from './program.js';
import type { ProgramOutput } from './program-output.js';
import type { Stage } from './stage.js';
import { Webhook } from './webhook.js';

/** A failed delivery is repeated soon: the service's own schedule is not specified. */
const webhookRetries = [1, 1, 2, 3, 5, 8, 10, 10, 10, 10, 15, 15].map((seconds) => seconds * 1_000);

type Address = 'sell' | 'ask' | 'withdraw' | 'webhook';

/** A receiver may be a process of its own that starts a little later. */
const reachableWithinMs = 5_000;

interface StageParts extends Pick<Stage, 'emulator' | 'ledger' | 'hasStopped' | 'signal'> {
  readonly groups: ProcessGroups;
  readonly output: ProgramOutput;
  readonly onNote: (text: string) => void;
}

/** An emulator whose requests and deliveries are in the ledger. */
export function startEmulator(
  ledger: Ledger,
  profile: Profile | undefined,
): Promise<MarketEmulator> {
  return MarketEmulator.start({
    profile,
    webhookRetries,
    onRequest: ledger.addRequest,
    onDelivery: ledger.addDelivery,
  });
}

/** @throws {@link CouldNotRun} when the program does not listen */
export async function openStage(
  options: RehearsalOptions,
  { emulator, ledger, groups, output, onNote, hasStopped, signal }: StageParts,
): Promise<Stage> {
  const { command, port, cwd, env } = options;
  const { patienceMs, outageMs, startWithinMs } = options;
  const { keyId, secret } = emulator.createCredential();
  output.watchFor('MARKET_SECRET', secret);
  const webhookSecret = `whsec_${randomBytes(24).toString('hex')}`;
  output.watchFor('MARKET_WEBHOOK_SECRET', webhookSecret);
  const programEnv = {
    ...env,
    MARKET_BASE_URL: emulator.baseUrl,
    MARKET_KEY_ID: keyId,
    MARKET_SECRET: secret,
    MARKET_WEBHOOK_SECRET: webhookSecret,
    PORT: String(port),
  };
  const settings = { command, cwd, port, startWithinMs, env: programEnv, onNote };
  const program = new PartnerProgram(settings, groups, output, signal);
  await program.start();
  const { webhook: url, ...told } = await reachable(options, signal);
  const commandEnv = { ...env, PORT: String(port) };
  const commands = new PartnerCommands({ ...told, cwd, env: commandEnv }, groups);
  const webhook = url === undefined ? undefined : new Webhook(url, emulator, webhookSecret);
  webhook?.register();
  // A program may register its public address at each start. Here it is reached at that of --webhook.
  ledger.onRequest(({ call }) => {
    if (call === 'PUT /webhooks') webhook?.register();
  });
  const common = { emulator, ledger, program, commands, webhook, hasStopped, signal };
  return { ...common, patienceMs, outageMs };
}

/**
 * The addresses of the options, with the address at which something listens in place of `localhost`:
 * a program may listen on IPv6 alone where `localhost` is IPv4.
 *
 * @throws {@link CouldNotRun} when nothing listens
 */
async function reachable(
  options: RehearsalOptions,
  signal: AbortSignal,
): Promise<Pick<RehearsalOptions, Address>> {
  const find = async <T extends string | undefined>(
    name: Address,
    template: T,
  ): Promise<T | string> => {
    if (template === undefined || !isAddress(template)) return template;
    const { hostname, port } = new URL(template.replaceAll(/[{}]/g, ''));
    const hosts = hostname === 'localhost' ? loopback : [hostname.replaceAll(/[[\]]/g, '')];
    let found: string | undefined;
    const isFound = async () => {
      for (const host of hosts) if (await isListening(Number(port || 80), [host])) found ??= host;
      return found !== undefined;
    };
    if (await waitUntil(isFound, reachableWithinMs, signal)) {
      return found === '::1' ? template.replace('//localhost', '//[::1]') : template;
    }
    const own = (await isListening(options.port, ['::1'])) ? '[::1]' : '127.0.0.1';
    throw new CouldNotRun(
      `Nothing listens at ${hostname}:${port || 80} of --${name}, and the program listens at ${own}:${options.port}. Write http://localhost:${options.port} there, or give the --port of the program.`,
    );
  };
  const { sell, ask, withdraw, webhook } = options;
  return {
    sell: await find('sell', sell),
    ask: await find('ask', ask),
    withdraw: await find('withdraw', withdraw),
    webhook: await find('webhook', webhook),
  };
}
