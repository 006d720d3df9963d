/** The command `market-partner-sdk durable`: shows the inboxes and outboxes of an engine, and ends what needs manual review. */

import { InvalidArgumentError, type Command } from 'commander';
import type { ActionName } from './durable/index.js';
import { UsageError, type CommandTerminal } from './terminal.js';
import { notBlank, required, wholeNumber } from './values.js';

interface DurableArguments {
  readonly engine?: string;
  readonly to?: string;
  readonly schema: string;
  readonly queue?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly check?: boolean;
  readonly reason?: string;
  readonly all?: boolean;
  readonly since?: number;
  readonly yes?: boolean;
  readonly paymentStands?: boolean;
  readonly notRefunded?: boolean;
  readonly limit?: number;
  readonly cursor?: string;
  readonly json?: boolean;
}

export function addDurable(program: Command, terminal: CommandTerminal): void {
  const durable = program
    .command('durable')
    .summary('show an inbox and an outbox, retry what needs manual review')
    .description(
      'Looks at the queues of an inbox and an outbox while a program works on them. It sends nothing to the service, runs no work of its own, and creates nothing but in `move`.',
    )
    .option('--engine <url>', 'sqlite:market.db or postgres://user@host/database')
    .option('--schema <name>', 'PostgreSQL: the schema of pg-boss', 'pgboss')
    .option('--queue <name>', 'one queue: market-default-sandbox-events')
    .option('--name <name>', 'queues of inboxes and outboxes of this name')
    .option('--environment <word>', 'queues of sandbox, live or test')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample: market-partner-sdk durable status --engine sqlite:market.db --check',
    );
  const add = (action: ActionName, description: string, takesIds = false) =>
    durable
      .command(takesIds ? `${action} [ids...]` : action)
      .description(description)
      .action((...given: unknown[]) => runAction(action, given.at(-1) as Command, terminal));
  add('status', 'how much waits, runs and needs manual review').option(
    '--check',
    'exit with 1 if something needs manual review, or no program takes it',
  );
  add('dead-letters', 'the events, the orders and the refunds that need manual review')
    .option('--limit <n>', 'how many of each queue', wholeNumber(1, 999_999), 100)
    .option('--cursor <text>', 'the next page of the queue');
  const addChange = (action: ActionName, description: string) =>
    add(action, description, true)
      .option('--all', 'instead of ids: all that fit; it counts them first')
      .option('--since <time>', 'of these, what was added since; ISO 8601', timeOf)
      .option('--yes', 'do not ask; for scripts');
  addChange('retry', 'handle events, or orders or refunds in attention, again')
    .option('--reason <word>', 'of all, those in attention for it: handler_failed', notBlank)
    .option('--payment-stands', "the buyer's payment was not paid back: the order may be retried")
    .option('--not-refunded', 'the service has no refund of the order: it may be sent once more');
  addChange('discard', 'end dead events without handling them').option(
    '--reason <text>',
    'why; stored with the events',
    notBlank,
  );
  durable
    .command('move')
    .description(
      'store all of it in another engine, and create its tables. Stop all programs before; start them on the new engine once this has exited with 0. Run it again if it was interrupted.',
    )
    .option('--to <url>', 'the new engine: postgres://user@host/database')
    .action(async (_: unknown, command: Command) => {
      const { out, row, cwd = process.cwd() } = terminal;
      const { engine, to, schema, json, queue, name, environment } =
        command.optsWithGlobals<DurableArguments>();
      const from = { url: required('--engine', engine), schema, cwd };
      const { moveEngine } = await import('./durable/index.js');
      const target = { ...from, url: required('--to', to) };
      const result = await moveEngine(from, target, { queue, name, environment });
      if (json) out(`${JSON.stringify(result.json)}\n`);
      else for (const line of result.lines) row(line);
    });
  durable
    .command('ddl')
    .description('print the SQL of the tables; connects to nothing')
    .action(async (_: unknown, command: Command) => {
      const { engine, schema, name, environment, json } =
        command.optsWithGlobals<DurableArguments>();
      const { ddlOf } = await import('./durable/index.js');
      const ddl = ddlOf(required('--engine', engine), schema, queuesToCreate(name, environment));
      terminal.out(json ? `${JSON.stringify({ ddl })}\n` : ddl);
    });
}

async function runAction(
  action: ActionName,
  command: Command,
  terminal: CommandTerminal,
): Promise<void> {
  const { out, row, exitWith, cwd = process.cwd() } = terminal;
  const given = command.optsWithGlobals<DurableArguments>();
  const { schema, queue, name, environment, limit = 100, cursor, since } = given;
  const url = required('--engine', given.engine);
  const reason = action === 'discard' ? required('--reason', given.reason) : '';
  const { check = false, json: isJson = false, paymentStands = false } = given;
  const { notRefunded = false } = given;
  const ids = command.args;
  const { all: isAll = false, yes = false } = given;
  if (action === 'retry' || action === 'discard') {
    if ((ids.length === 0) !== isAll) throw new UsageError(`"${action}" takes ids, or --all`);
    const filter = since ?? (action === 'retry' ? given.reason : undefined);
    if (!isAll && filter !== undefined) {
      throw new UsageError('"--since" and "--reason" choose from all, so add --all');
    }
  }
  const all = isAll ? { since, reason: action === 'retry' ? given.reason : undefined } : undefined;
  const confirm = (question: string) => (yes ? Promise.resolve(true) : ask(question, terminal));
  // Not at the top: the other commands do not need the engines.
  const { runAction: run } = await import('./durable/index.js');
  const { json, lines, needsOperator, isIncomplete } = await run(
    action,
    { url, schema, cwd },
    { queue, name, environment },
    {
      ids,
      all,
      confirm,
      reason,
      doesPaymentStand: paymentStands,
      isNotRefunded: notRefunded,
      limit,
      cursor,
    },
  );
  if (isJson) out(`${JSON.stringify(json)}\n`);
  else for (const line of lines) row(line);
  exitWith(isIncomplete === true || (check && needsOperator === true) ? 1 : 0);
}

async function ask(question: string, { err, confirm }: CommandTerminal): Promise<boolean> {
  err(`${question}\n`);
  if (confirm !== undefined) return confirm('Go on? [y/N] ');
  throw new UsageError('nobody can be asked here, so add --yes');
}

function timeOf(text: string): number {
  const time = Date.parse(text);
  if (/^\d{4}-/.test(text) && !Number.isNaN(time)) return time;
  throw new InvalidArgumentError('It must be a time such as 2026-11-01 or 2026-11-01T08:00:00Z.');
}

/** The names become a part of SQL. */
function queuesToCreate(name = 'default', environment?: string): readonly string[] {
  const environments = environment === undefined ? ['sandbox', 'live'] : [environment];
  const queues = environments.flatMap((word) =>
    ['events', 'orders', 'verdicts'].map((kind) => `market-${name}-${word}-${kind}`),
  );
  const wrong = queues.find((queue) => !/^[A-Za-z0-9-]{1,100}$/.test(queue));
  if (wrong === undefined) return queues;
  throw new UsageError(`"${wrong}" is not a valid queue name`);
}
