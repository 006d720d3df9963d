/** Commands for a running emulator: each makes its calls, and prints the result as text or JSON. */

import type { Command } from 'commander';
import { addControlOptions, controlClient } from './control-client.js';
import type { ControlClient, ControlOptions } from './control-client.js';
import { UsageError, type CommandTerminal } from './terminal.js';
import { unknownName } from './values.js';

export type Json = Record<string, unknown>;

/** The result of an action: a value for `--json`, and its text. */
export interface ActionResult {
  readonly value: unknown;
  readonly text: string;
}

type Run<Args, Options> = (
  client: ControlClient,
  args: Args,
  options: Options,
) => Promise<ActionResult>;

/** For `command.action()`: runs with a client of the emulator that the options name. */
export function controlAction<Args, Options = unknown>(
  terminal: CommandTerminal,
  run: Run<Args, Options>,
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    const options = command.optsWithGlobals<ControlOptions & Options>();
    const client = controlClient(options, terminal);
    const { value, text } = await run(client, command.processedArgs as Args, options);
    if (options.json) terminal.out(`${JSON.stringify(value)}\n`);
    else for (const line of text.split('\n')) terminal.row(line);
  };
}

/** An action that lists what a path of the control API has, in a line each. */
export function listAction(path: string, lineOf: (each: Json) => string, none: string) {
  return async (client: ControlClient): Promise<ActionResult> => {
    const found = (await client.get(path)) as Json[];
    return { value: found, text: found.map(lineOf).join('\n') || none };
  };
}

/** A command with actions of its own, such as `faults on`, one of which may be the default. */
export class ActionGroup {
  readonly #group: Command;
  readonly #terminal: CommandTerminal;
  #takesAny = false;

  constructor(program: Command, name: string, terminal: CommandTerminal) {
    this.#group = addControlOptions(program.command(name)).hook('preSubcommand', () =>
      this.#checkAction(),
    );
    this.#terminal = terminal;
  }

  /** For the description and the help. */
  get command(): Command {
    return this.#group;
  }

  /** @param signature - the action's name and its arguments: `'on <calls> <fault>'` */
  add<Args, Options = unknown>(
    signature: string,
    summary: string,
    run: Run<Args, Options>,
    settings: { readonly isDefault?: true } = {},
  ): Command {
    if (settings.isDefault) this.#takesAny = signature.includes(' ');
    const action = this.#group.command(signature, settings).description(summary);
    return action.action(controlAction(this.#terminal, run));
  }

  /** The default action gets what is no action's name, and a misspelled name must not be its argument. */
  #checkAction(): void {
    const [word] = this.#group.args;
    const names = this.#group.commands.map((each) => each.name());
    if (word === undefined || names.includes(word)) return;
    const message = unknownName(word, names);
    if (!this.#takesAny || message.includes('Did you mean')) throw new UsageError(message);
  }
}
