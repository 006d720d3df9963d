/** The command `market-partner-sdk durable`: shows an operator the inboxes and outboxes of an engine. */

import type { Command } from 'commander';
import type { ActionName } from './durable/index.js';
import { printable, UsageError, type CommandTerminal } from './terminal.js';
import { notBlank, required, wholeNumber } from './values.js';

interface DurableArguments {
  readonly engine?: string;
  readonly schema: string;
  readonly queue?: string;
  readonly name?: string;
  readonly environment?: string;
  readonly check?: boolean;
  readonly reason?: string;
  readonly paymentStands?: boolean;
  readonly notRefunded?: boolean;
  readonly limit?: number;
  readonly cursor?: string;
  readonly json?: boolean;
}

export function addDurable(program: Command, terminal: CommandTerminal): void {
  const durable = program
    .command('durable')
    .summary('show an inbox and an outbox, retry what needs an operator')
    .description(
      'Looks at the queues of an inbox and an outbox while a program works on them. It creates nothing, sends nothing to the service and runs no work of its own.',
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
  const add = (action: ActionName, description: string, takesId = false) =>
    durable
      .command(takesId ? `${action} <id>` : action)
      .description(description)
      .action((...given: unknown[]) => runAction(action, given.at(-1) as Command, terminal));
  add('status', 'how much waits, runs and needs an operator').option(
    '--check',
    'exit with 1 if something needs an operator, or no program takes it',
  );
  add('dead-letters', 'the events, the orders and the refunds that need an operator')
    .option('--limit <n>', 'how many of each queue', wholeNumber(1, 999_999), 100)
    .option('--cursor <text>', 'the next page of the queue');
  add('retry', 'handle an event, or an order or a refund in attention, again', true)
    .option('--payment-stands', "the buyer's payment was not paid back: the order may be retried")
    .option('--not-refunded', 'the service has no refund of the order: it may be sent once more');
  add('discard', 'end a dead event without handling it', true).option(
    '--reason <text>',
    'why; stored with the event',
    notBlank,
  );
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
  { out, exitWith, cwd = process.cwd() }: CommandTerminal,
): Promise<void> {
  const given = command.optsWithGlobals<DurableArguments>();
  const { schema, queue, name, environment, limit = 100, cursor } = given;
  const url = required('--engine', given.engine);
  const reason = action === 'discard' ? required('--reason', given.reason) : '';
  const { check = false, json: isJson = false, paymentStands = false } = given;
  const { notRefunded = false } = given;
  const [id = ''] = command.args;
  // Not at the top: the other commands do not need the engines.
  const { runAction: run } = await import('./durable/index.js');
  const { json, lines, needsOperator } = await run(
    action,
    { url, schema, cwd },
    { queue, name, environment },
    { id, reason, doesPaymentStand: paymentStands, isNotRefunded: notRefunded, limit, cursor },
  );
  out(isJson ? `${JSON.stringify(json)}\n` : `${lines.map(printable).join('\n')}\n`);
  exitWith(check && needsOperator === true ? 1 : 0);
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
