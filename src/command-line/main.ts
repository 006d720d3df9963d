/** The command `market-partner-sdk`: which subcommand runs, and its exit code. */

import { version } from '../version.js';
import { intendedName } from '../field-names.js';
import {
  clockCommand,
  resetUsage,
  runReset,
  runTrigger,
  triggerUsage,
} from './control-commands.js';
import { domainsCommand } from './domains-command.js';
import { doctorUsage, runDoctor } from './doctor-command.js';
import { durableUsage, runDurable } from './durable-command.js';
import { emulatorUsage } from './emulator-arguments.js';
import { runEmulator } from './emulator-command.js';
import { faultsCommand } from './faults-command.js';
import { listenUsage, runListen } from './listen-command.js';
import { ordersCommand } from './orders-command.js';
import { rehearseUsage, runRehearse } from './rehearse-command.js';
import { reconcileUsage, runReconcile } from './reconcile-command.js';
import { messageOf, printableLines, UsageError, type Terminal } from './terminal.js';

interface Command {
  readonly summary: string;
  readonly usage: string;
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<number>;
  /** For arguments that it does not understand; 2 unless given. With 1, a 2 says that it found something. */
  readonly usageExitCode?: 1;
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
  faults: { summary: 'arm, list and remove faults', ...faultsCommand },
  orders: { summary: 'list orders, or move one', ...ordersCommand },
  domains: { summary: 'find, list, reprice and delist domains', ...domainsCommand },
  clock: { summary: 'move the clock forward', ...clockCommand },
  reset: { summary: 'put the emulator back to its start', usage: resetUsage, run: runReset },
  listen: {
    summary: 'deliver the event history to a local receiver',
    usage: listenUsage,
    run: runListen,
  },
  doctor: {
    summary: 'check the connection, the credential and the clock',
    usage: doctorUsage,
    run: runDoctor,
  },
  reconcile: {
    summary: 'compare your books with the orders at the service',
    usage: reconcileUsage,
    run: runReconcile,
    usageExitCode: 1,
  },
  rehearse: {
    summary: 'play your own program under every fault, before it goes live',
    usage: rehearseUsage,
    run: runRehearse,
    usageExitCode: 1,
  },
  durable: {
    summary: 'show an inbox and an outbox, retry what needs an operator',
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
 * arguments that it does not understand, unless its `usageExitCode` says otherwise.
 */
export async function runCommandLine(args: readonly string[], process: Terminal): Promise<number> {
  const terminal: Terminal = {
    ...process,
    // No server may write escape sequences to the terminal.
    out: (text) => process.out(printableLines(text)),
    err: (text) => process.err(printableLines(text)),
  };
  const [name = '', ...rest] = args;
  if (name === '--version') {
    terminal.out(`${version}\n`);
    return 0;
  }
  if (['--help', '-h', 'help'].includes(name)) {
    terminal.out(usage);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    terminal.err(unknownCommand(name));
    return 2;
  }
  // What follows `--` is for the program that the command starts.
  const end = rest.indexOf('--');
  const own = end === -1 ? rest : rest.slice(0, end);
  if (own.includes('--help') || own.includes('-h')) {
    terminal.out(command.usage);
    return 0;
  }
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    if (!isUsageError(error)) {
      terminal.err(`${messageOf(error)}\n`);
      return 1;
    }
    const message = `${firstSentence(error)}${intendedOption(error, command.usage)}`;
    terminal.err(`"market-partner-sdk ${name} --help" shows the options.\n${message}\n`);
    return command.usageExitCode ?? 2;
  }
}

function unknownCommand(name: string): string {
  if (name === '') return `${usage}\nGive a command.\n`;
  const intended = intendedName(name, Object.keys(commands));
  const hint =
    intended === undefined
      ? '"market-partner-sdk --help" lists the commands.'
      : `Did you mean "market-partner-sdk ${intended}"?`;
  return `unknown command: ${name}. ${hint}\n`;
}

/** parseArgs explains at length how to pass an argument that begins with a dash. */
function firstSentence(error: unknown): string {
  const message = messageOf(error);
  return error instanceof UsageError ? message : (message.split('. ', 1)[0] ?? message);
}

/** The option that a misspelled one was meant to be, if the help has one. */
function intendedOption(error: unknown, usage: string): string {
  const [, option] = /^Unknown option '(--[\w-]+)/.exec(messageOf(error)) ?? [];
  const known = usage.match(/--[a-z-]+/g) ?? [];
  const intended = option === undefined ? undefined : intendedName(option, known);
  return intended === undefined ? '' : `. Did you mean "${intended}"?`;
}

/** Our own, and those of node:util's parseArgs. */
function isUsageError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS');
}
