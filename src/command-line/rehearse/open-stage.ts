/** openStage: starts the emulator and the program, and registers its webhook. */

import { randomBytes } from 'node:crypto';
import { MarketEmulator } from '../../testing/emulator.js';
import type { Ledger } from './ledger.js';
import type { RehearsalOptions } from './options.js';
import { PartnerCommands } from './partner-commands.js';
import type { ProcessGroups } from './process-groups.js';
import { PartnerProgram } from './program.js';
import type { ProgramOutput } from './program-output.js';
import type { Stage } from './stage.js';
import { Webhook } from './webhook.js';

/** A failed delivery is repeated soon: the service's own schedule is not specified. */
const webhookRetries = [1, 1, 2, 3, 5, 8, 10, 10, 10, 10, 15, 15].map((seconds) => seconds * 1_000);

interface StageParts extends Pick<Stage, 'emulator' | 'ledger' | 'signal'> {
  readonly groups: ProcessGroups;
  readonly output: ProgramOutput;
}

/** An emulator whose requests and deliveries are in the ledger. */
export function startEmulator(ledger: Ledger): Promise<MarketEmulator> {
  return MarketEmulator.start({
    webhookRetries,
    onRequest: ledger.addRequest,
    onDelivery: ledger.addDelivery,
  });
}

/** @throws {@link CouldNotRun} when the program does not listen */
export async function openStage(
  options: RehearsalOptions,
  { emulator, ledger, groups, output, signal }: StageParts,
): Promise<Stage> {
  const { command, sell, ask, webhook: url, port, cwd, env } = options;
  const { patienceMs, outageMs, startWithinMs } = options;
  const { keyId, secret } = emulator.createCredential();
  output.watchFor('MARKET_SECRET', secret);
  const newSecret = () => {
    const made = `whsec_${randomBytes(24).toString('hex')}`;
    output.watchFor('MARKET_WEBHOOK_SECRET', made);
    return made;
  };
  const webhook = url === undefined ? undefined : new Webhook(url, emulator, newSecret);
  const firstSecret = webhook?.secret ?? newSecret();
  const programEnv = () => ({
    ...env,
    MARKET_BASE_URL: emulator.baseUrl,
    MARKET_KEY_ID: keyId,
    MARKET_SECRET: secret,
    MARKET_WEBHOOK_SECRET: webhook?.secret ?? firstSecret,
    PORT: String(port),
  });
  const settings = { command, cwd, port, startWithinMs, env: programEnv };
  const program = new PartnerProgram(settings, groups, output, signal);
  const commandEnv = { ...env, PORT: String(port) };
  const commands = new PartnerCommands({ sell, ask, cwd, env: commandEnv }, groups);
  await program.start();
  webhook?.register();
  return { emulator, ledger, program, commands, webhook, patienceMs, outageMs, signal };
}
