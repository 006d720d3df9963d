/** The command `market-partner-sdk`: its subcommands, and its exit code. */

import { Command, CommanderError } from 'commander';
import { version } from '../core/version.js';
import { addClock, addReset, addTrigger } from './control-commands.js';
import { addDoctor } from './doctor-command.js';
import { addDomains } from './domains-command.js';
import { addDurable } from './durable-command.js';
import { addEmulator } from './emulator-command.js';
import { addFaults } from './faults-command.js';
import { addListen } from './listen-command.js';
import { addOrders } from './orders-command.js';
import { addCases, addLinks, addSessions } from './other-products-commands.js';
import { addReconcile } from './reconcile-command.js';
import { addRehearse } from './rehearse-command.js';
import { messageOf, UsageError } from './terminal.js';
import type { CommandTerminal, Terminal } from './terminal.js';
import { unknownName } from './values.js';
import { createWriter } from './writer.js';

/** In the order of their first use; each group begins with the command that everybody needs. */
const groups = Object.entries({
  'Try:': [addEmulator, addOrders, addDomains, addSessions, addCases, addLinks],
  'Test:': [addRehearse, addFaults, addTrigger, addClock, addReset],
  'Go live:': [addDoctor, addListen],
  'Operate:': [addReconcile, addDurable],
});

/** Their exit code 2 says that they found something. */
const usageExitCodes: Readonly<Record<string, number>> = { reconcile: 1, rehearse: 1 };

/**
 * Runs one command. Resolves with the exit code: 0 when it did its work, 1 when it failed, 2 for
 * arguments that it does not understand, unless `usageExitCodes` says otherwise.
 */
export async function runCommandLine(args: readonly string[], process: Terminal): Promise<number> {
  let exitCode = 0;
  const terminal: CommandTerminal = {
    ...process,
    ...createWriter(process),
    exitWith: (code) => {
      exitCode = code;
    },
  };
  const [name = ''] = args;
  const program = createProgram(terminal);
  const command = program.commands.find((each) => each.name() === name);
  try {
    // Before commander, which shows the whole help for `nothing --help`.
    if (/^[^-]/.test(name)) findCommand(program, [name]);
    await program.parseAsync(withoutEquals(args), { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode !== 0) explainQuotes(args, terminal);
      return error.exitCode && (usageExitCodes[name] ?? 2);
    }
    if (!(error instanceof UsageError)) {
      terminal.err(`${messageOf(error)}\n`);
      if (isMissingVariable(error) && command !== undefined && takesEnvFile(command)) {
        terminal.err('"--env-file .env" reads them from a file.\n');
      }
      return 1;
    }
    terminal.err(`error: ${error.message}\n${helpHint(command?.name())}\n`);
    explainQuotes(args, terminal);
    return usageExitCodes[name] ?? 2;
  }
}

function createProgram(terminal: CommandTerminal): Command {
  const program = new Command('market-partner-sdk')
    .description(
      'Runs an emulator of the Partner Domain Marketplace, and checks your program against it.',
    )
    .version(version, '-v, --version', 'the version of this package')
    .helpOption('-h, --help', 'this text; after a command, its options')
    .configureHelp({
      showGlobalOptions: true,
      // Those of a group of actions, such as `faults`; --version belongs to no command.
      visibleGlobalOptions: ({ parent }: Command) => (parent?.parent ? [...parent.options] : []),
    })
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHelpWidth: () => terminal.columns ?? 110,
      getErrHelpWidth: () => terminal.columns ?? 110,
    })
    .exitOverride();
  for (const [heading, commands] of groups) {
    program.commandsGroup(heading);
    for (const add of commands) add(program, terminal);
  }
  for (const each of program.commands) showHint(each, each.name());
  for (const each of [program, ...program.commands]) addHelp(each);
  return program.showHelpAfterError(helpHint());
}

/** In the place of commander's own, which shows the whole help for a name that it does not know. */
function addHelp(command: Command): void {
  if (command.commands.length === 0) return;
  command
    .helpCommand(false)
    .command('help [command...]', { hidden: true })
    .description('the options of a command')
    .action((names: readonly string[]) => findCommand(command, names).outputHelp());
}

/** @throws {@link UsageError} when a name is not that of a command */
function findCommand(command: Command, names: readonly string[]): Command {
  return names.reduce((within, name) => {
    const found = within.commands.find((each) => each.name() === name);
    if (found !== undefined) return found;
    const known = within.commands.map((each) => each.name());
    if (known.length > 0) throw new UsageError(unknownName(name, known));
    throw new UsageError(`There is no ${name}: ${within.name()} has no commands of its own.`);
  }, command);
}

function showHint(command: Command, name: string): void {
  command.showHelpAfterError(helpHint(name));
  for (const each of command.commands) showHint(each, `${name} ${each.name()}`);
}

function helpHint(name?: string): string {
  const call = name === undefined ? 'lists the commands' : 'shows the options';
  return `"${['market-partner-sdk', name ?? [], '--help'].flat().join(' ')}" ${call}.`;
}

/** cmd.exe passes single quotes on, and splits the argument at its spaces. */
function explainQuotes(args: readonly string[], { err }: Terminal): void {
  if (!args.some((arg) => arg.startsWith("'"))) return;
  err("An argument begins with ': cmd.exe takes only double quotes for quotes.\n");
}

function isMissingVariable(error: unknown): boolean {
  const { name, message } = Object(error) as Partial<Error>;
  return name === 'ConfigurationError' && (message ?? '').includes(' or set MARKET_');
}

function takesEnvFile({ options }: Command): boolean {
  return options.some(({ long }) => long === '--env-file');
}

/** commander would repeat `--misspelled=value` in its message, and the value may be a secret. */
function withoutEquals(args: readonly string[]): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const own = args.slice(0, end).flatMap((arg) => {
    const [, name, value] = /^(--[\w-]+)=([^]*)$/.exec(arg) ?? [];
    return name === undefined || value === undefined ? [arg] : [name, value];
  });
  return [...own, ...args.slice(end)];
}
