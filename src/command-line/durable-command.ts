/** The command `market-partner-sdk durable`: shows an operator the inboxes and outboxes of an engine. */

import { parseArgs } from 'node:util';
import { printable, UsageError, type Terminal } from './terminal.js';

export const durableUsage = `market-partner-sdk durable <action> --engine <url> [options]

Looks at the queues of an inbox and an outbox while a program works on them. It creates
nothing, sends nothing to the service and runs no work of its own.

  status                   how much waits, runs and needs an operator
  dead-letters             the events and the orders that need an operator
  retry <id>               handle an event, or an order in attention, again
  discard <id>             end a dead event without handling it; needs --reason
  ddl                      print the SQL of the tables; connects to nothing

  --engine <url>           sqlite:market.db or postgres://user@host/database
  --schema <name>          PostgreSQL: the schema of pg-boss (pgboss)
  --queue <name>           one queue: market-default-sandbox-events
  --name <name>            queues of inboxes and outboxes of this name
  --environment <word>     queues of sandbox, live or test
  --check                  status: exit with 1 if something needs an operator, or no program takes it
  --reason <text>          why an event is discarded; stored with it
  --payment-stands         the buyer's payment was not paid back: the order may be retried
  --limit <n>              dead letters of each queue (100)
  --cursor <text>          dead-letters: the next page of the queue
  --json                   print JSON

Example: market-partner-sdk durable status --engine sqlite:market.db --check
`;

const actions = ['status', 'dead-letters', 'retry', 'discard', 'ddl'] as const;
type ActionName = (typeof actions)[number];

const optionTypes = {
  engine: { type: 'string', default: '' },
  schema: { type: 'string', default: 'pgboss' },
  queue: { type: 'string' },
  name: { type: 'string' },
  environment: { type: 'string' },
  check: { type: 'boolean', default: false },
  reason: { type: 'string', default: '' },
  'payment-stands': { type: 'boolean', default: false },
  limit: { type: 'string', default: '100' },
  cursor: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

export async function runDurable(args: readonly string[], terminal: Terminal): Promise<number> {
  const { out, cwd = process.cwd() } = terminal;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: optionTypes,
  });
  const { engine: url, schema, queue, name, environment, cursor, reason, json: isJson } = values;
  const { action, id } = readPositionals(positionals);
  if (url === '') throw new UsageError('"--engine" must be given');
  if (action === 'discard' && reason.trim() === '') {
    throw new UsageError('"discard" needs a "--reason": it is stored with the event');
  }
  const limit = /^[1-9]\d{0,5}$/.test(values.limit) ? Number(values.limit) : undefined;
  if (limit === undefined) {
    throw new UsageError(`"--limit" must be a whole number from 1 up; got ${values.limit}`);
  }
  // Not at the top: the other commands do not need the engines.
  const { ddlOf, runAction } = await import('./durable/index.js');
  if (action === 'ddl') {
    const ddl = ddlOf(url, schema, queuesToCreate(name, environment));
    out(isJson ? `${JSON.stringify({ ddl })}\n` : ddl);
    return 0;
  }
  const doesPaymentStand = values['payment-stands'];
  const { json, lines, needsOperator } = await runAction(
    action,
    { url, schema, cwd },
    { queue, name, environment },
    { id, reason, doesPaymentStand, limit, cursor },
  );
  out(isJson ? `${JSON.stringify(json)}\n` : `${lines.map(printable).join('\n')}\n`);
  return values.check && needsOperator === true ? 1 : 0;
}

function readPositionals([action = '(none)', id, ...more]: readonly string[]): {
  readonly action: ActionName;
  readonly id: string;
} {
  const known = actions.find((each) => each === action);
  if (known === undefined) throw new UsageError(`unknown action: ${action}`);
  const takesId = known === 'retry' || known === 'discard';
  if (takesId !== (id !== undefined) || more.length > 0) {
    throw new UsageError(takesId ? `"${action}" takes one id` : `"${action}" takes no id`);
  }
  return { action: known, id: id ?? '' };
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
