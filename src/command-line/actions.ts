/** Tables of the actions of a command, such as `faults on`: they run them, and print their usage. */

import { intendedName } from '../field-names.js';
import {
  controlClient,
  controlUsage,
  parseControlArgs,
  type ControlClient,
} from './control-client.js';
import { printable, UsageError, type Terminal } from './terminal.js';

export type Json = Record<string, unknown>;

/** The result of an action: a value for `--json`, and its text. */
export interface ActionResult {
  readonly value: unknown;
  readonly text: string;
}

export type OptionValues = Readonly<Record<string, string | undefined>>;

interface Action {
  /** What follows its name; optional ones are in brackets: `['<calls>', '[<fault>]']`. */
  readonly positionals: readonly string[];
  readonly summary: string;
  readonly run: (
    client: ControlClient,
    positionals: readonly string[],
    options: OptionValues,
    terminal: Terminal,
  ) => Promise<ActionResult>;
}

interface ActionCommand {
  readonly name: string;
  readonly description: string;
  readonly actions: Readonly<Record<string, Action>>;
  /** The action without a name. */
  readonly byDefault: string;
  /** Finds the action for a first positional that is not an action's name. */
  readonly otherwise?: Action;
  /** The command's own options, each with its line of help. */
  readonly options?: Readonly<Record<string, string>>;
  readonly example: string;
}

/** The help of a command, and the function that runs the action that its arguments name. */
export function actionCommand(command: ActionCommand) {
  return {
    usage: usageOf(command),
    run: (args: readonly string[], terminal: Terminal) => runActions(command, args, terminal),
  };
}

function usageOf({ name, description, actions, otherwise, options, example }: ActionCommand) {
  const rows = [
    ...Object.entries(actions).map(([action, { positionals, summary }]) => [
      [action, ...positionals].join(' '),
      summary,
    ]),
    ...(otherwise === undefined ? [] : [[otherwise.positionals.join(' '), otherwise.summary]]),
  ];
  const lines = rows.map(([call = '', summary = '']) => `  ${call.padEnd(24)} ${summary}`);
  const optionLines = Object.entries(options ?? {}).map(
    ([option, help]) => `  ${`--${option}`.padEnd(24)} ${help}\n`,
  );
  return `market-partner-sdk ${name} <action> [options]

${description}

${lines.join('\n')}

${optionLines.join('')}${controlUsage}
Example: ${example}
`;
}

async function runActions(
  command: ActionCommand,
  args: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const own = Object.keys(command.options ?? {}).map((option) => [
    option.replace(/ .*/, ''),
    { type: 'string' } as const,
  ]);
  const { values, positionals } = parseControlArgs(
    args,
    Object.fromEntries(own) as Record<string, { readonly type: 'string' }>,
  );
  const { action, rest } = findAction(command, positionals);
  const client = controlClient(values, terminal);
  const { value, text } = await action.run(client, rest, values, terminal);
  print(terminal, values.json, value, text);
  return 0;
}

function findAction(
  { name: command, actions, byDefault, otherwise }: ActionCommand,
  positionals: readonly string[],
): { readonly action: Action; readonly rest: readonly string[] } {
  const [name = byDefault, ...rest] = positionals;
  const named = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (named !== undefined) {
    checkCount(`${command} ${name}`, named.positionals, rest);
    return { action: named, rest };
  }
  const intended = intendedName(name, Object.keys(actions));
  if (otherwise === undefined || intended !== undefined) {
    const known = Object.keys(actions).join(', ');
    const hint = intended === undefined ? `; actions: ${known}` : `. Did you mean "${intended}"?`;
    throw new UsageError(`unknown action: ${name}${hint}`);
  }
  checkCount(command, otherwise.positionals, positionals);
  return { action: otherwise, rest: positionals };
}

function checkCount(call: string, expected: readonly string[], actual: readonly string[]): void {
  const required = expected.filter((each) => !each.startsWith('['));
  if (actual.length >= required.length && actual.length <= expected.length) return;
  const takes = expected.length === 0 ? 'nothing' : expected.join(' ');
  throw new UsageError(`"${call}" takes ${takes}; received ${actual.length} arguments`);
}

/** Prints one line for each line of the text, or the value as JSON. */
export function print({ out }: Terminal, isJson: boolean, value: unknown, text: string): void {
  out(isJson ? `${JSON.stringify(value)}\n` : `${text.split('\n').map(printable).join('\n')}\n`);
}
