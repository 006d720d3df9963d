/** The command `market-partner-sdk`: which subcommand runs, and its exit code. */

import { version } from '../version.js';
import {
  clockUsage,
  faultsUsage,
  ordersUsage,
  runClock,
  runFaults,
  runOrders,
  runTrigger,
  triggerUsage,
} from './control-commands.js';
import { doctorUsage, runDoctor } from './doctor-command.js';
import { durableUsage, runDurable } from './durable-command.js';
import { emulatorUsage } from './emulator-arguments.js';
import { runEmulator } from './emulator-command.js';
import { listenUsage, runListen } from './listen-command.js';
import { messageOf, UsageError, type Terminal } from './terminal.js';

interface Command {
  readonly summary: string;
  readonly usage: string;
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<number>;
}

const commands: Readonly<Record<string, Command>> = {
  emulator: {
    summary: 'run a stand-in for the service on this machine',
    usage: emulatorUsage,
    run: runEmulator,
  },
  trigger: {
    summary: 'emit an event in a running emulator',
    usage: triggerUsage,
    run: runTrigger,
  },
  faults: { summary: 'arm, list and remove faults', usage: faultsUsage, run: runFaults },
  clock: { summary: 'read or move the clock', usage: clockUsage, run: runClock },
  listen: {
    summary: 'deliver the event history to a local receiver',
    usage: listenUsage,
    run: runListen,
  },
  orders: { summary: 'list orders, or move one', usage: ordersUsage, run: runOrders },
  doctor: {
    summary: 'check the connection, the credential and the clock',
    usage: doctorUsage,
    run: runDoctor,
  },
  durable: {
    summary: 'look at an inbox and an outbox, retry what needs a person',
    usage: durableUsage,
    run: runDurable,
  },
};

const usage = `market-partner-sdk <command> [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}

  --version  the version of this package
  --help     this text; after a command, its options
`;

/**
 * Runs one command. Resolves with the exit code: 0 when it did its work, 1 when it failed, 2 for
 * arguments that it does not understand.
 */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const { out, err } = terminal;
  const [name = '', ...rest] = args;
  if (name === '--version') {
    out(`${version}\n`);
    return 0;
  }
  if (['--help', '-h', 'help'].includes(name)) {
    out(usage);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    err(`unknown command: ${name || '(none)'}\n\n${usage}`);
    return 2;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    out(command.usage);
    return 0;
  }
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    if (!isUsageError(error)) {
      err(`${messageOf(error)}\n`);
      return 1;
    }
    err(`${messageOf(error)}\n\n${command.usage}`);
    return 2;
  }
}

/** Ours, and those of node:util's parseArgs. */
function isUsageError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS');
}
