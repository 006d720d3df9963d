/** The command `market-partner-sdk durable`: an operator's look at an inbox and an outbox. */

import { parseArgs } from 'node:util';
import type { DurableArguments } from './durable/arguments.js';
import { UsageError, type Terminal } from './terminal.js';

export const durableUsage = `market-partner-sdk durable <action> --engine <url> [options]

Looks at the queues of an inbox and an outbox, beside the program that works on them. It creates
nothing, sends nothing to the service and runs no work of its own.

  status                   how much waits, runs and needs a person
  dead-letters             the events and the orders that need a person
  retry <id>               handle an event, or an order in attention, again
  discard <id>             end a dead event without handling it; needs --reason
  prune                    forget events that were done long ago
  ddl                      print the SQL of the tables; connects to nothing

  --engine <url>           sqlite:market.db or postgres://user@host/database
  --schema <name>          PostgreSQL: the schema of pg-boss (pgboss)
  --queue <name>           one queue: market-default-sandbox-events
  --name <name>            queues of inboxes and outboxes of this name
  --environment <word>     queues of sandbox, live or test
  --reason <text>          why an event is discarded; it is kept
  --payment-stands         the buyer's payment was not paid back: the order may be retried
  --older-than-days <n>    prune: no fewer than your program's keepDoneMs (30)
  --limit <n>              dead letters of each queue (100)
  --json                   print JSON
`;

const actions: Readonly<Record<string, { readonly takesId: boolean }>> = {
  status: { takesId: false },
  'dead-letters': { takesId: false },
  retry: { takesId: true },
  discard: { takesId: true },
  prune: { takesId: false },
  ddl: { takesId: false },
};

/** A program remembers done events for 30 days unless told otherwise. */
const leastDays = 30;

export async function runDurable(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = readArguments(args);
  // Not at the top: the other commands do not need the engines.
  const { runAction } = await import('./durable/index.js');
  return runAction(options, terminal);
}

function readArguments(args: readonly string[]): DurableArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      engine: { type: 'string', default: '' },
      schema: { type: 'string', default: 'pgboss' },
      queue: { type: 'string' },
      name: { type: 'string' },
      environment: { type: 'string' },
      reason: { type: 'string', default: '' },
      'payment-stands': { type: 'boolean', default: false },
      'older-than-days': { type: 'string', default: String(leastDays) },
      limit: { type: 'string', default: '100' },
      json: { type: 'boolean', default: false },
    },
  });
  const [action = '(none)', id, ...more] = positionals;
  const known = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (known === undefined) throw new UsageError(`unknown action: ${action}`);
  if (known.takesId !== (id !== undefined) || more.length > 0) {
    throw new UsageError(known.takesId ? `"${action}" takes one id` : `"${action}" takes no id`);
  }
  if (values.engine === '') throw new UsageError('"--engine" must be given');
  if (action === 'discard' && values.reason.trim() === '') {
    throw new UsageError('"discard" needs a "--reason": it is kept with what is discarded');
  }
  return {
    ...{ action, id, engine: values.engine, schema: values.schema, reason: values.reason },
    ...{ queue: values.queue, name: values.name, environment: values.environment },
    doesPaymentStand: values['payment-stands'],
    olderThanDays: wholeNumber('--older-than-days', values['older-than-days'], leastDays),
    limit: wholeNumber('--limit', values.limit, 1),
    isJson: values.json,
  };
}

function wholeNumber(name: string, text: string, least: number): number {
  if (/^\d{1,6}$/.test(text) && Number(text) >= least) return Number(text);
  throw new UsageError(`"${name}" must be a whole number from ${least} up; got ${text}`);
}
