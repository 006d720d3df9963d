/** The command `market-partner-sdk reconcile`: the books in a file against the service. */

import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { Finding } from '../client/books/findings.js';
import type { BooksToReconcile, ReconcileOptions } from '../client/books/reconcile-options.js';
import type { Reconciliation, ReconcileSummary } from '../client/books/reconcile.js';
import { UsageError, type Terminal } from './terminal.js';

const defaultDays = 7;
const dayMs = 86_400_000;
/** How many orders go by between two lines of progress on a terminal. */
const ordersPerLine = 5_000;

export const reconcileUsage = `market-partner-sdk reconcile <file.jsonl> [options]
market-partner-sdk reconcile --engine <url> [options]

Compares your books with the orders at the service, with MARKET_BASE_URL, MARKET_KEY_ID and
MARKET_SECRET. It only reads. Each line of the file is a sale as JSON:
{ "idempotencyKey", "input", "startedAt", "state", "publicId", "status", "refundedAt" }

  --engine <url>       an outbox as the books: sqlite:market.db, postgres://user@host/database
  --name <name>        the outbox of this name, if there are several
  --schema <name>      PostgreSQL: the schema of pg-boss (pgboss)
  --from <time>        begin of the window, ISO 8601 (${defaultDays} days ago)
  --to <time>          end of the window (15 minutes ago)
  --stuck-after <days> report orders that have had one status for longer
  --settlements        compare the settlement statements too
  --json               print findings as JSON lines, the summary last

Exit code: 0 the books agree, 2 something differs, 1 it could not be checked.

Example: market-partner-sdk reconcile sales.jsonl --from 2026-11-01 --settlements
`;

export async function runReconcile(args: readonly string[], terminal: Terminal): Promise<number> {
  const { file, engine: url, name, schema, isJson, books } = readArguments(args);
  const { MarketClient } = await import('../client/client.js');
  const { env = {}, cwd = process.cwd(), stop } = terminal;
  const market = new MarketClient({
    baseUrl: env.MARKET_BASE_URL,
    keyId: env.MARKET_KEY_ID,
    secret: env.MARKET_SECRET,
  });
  const options = { onProgress: createProgress(terminal), signal: stop };
  try {
    if (url === undefined) {
      const sales = readLines(resolve(cwd, file)) as BooksToReconcile['sales'];
      return await print(market.orders.reconcile({ ...books, sales }, options), isJson, terminal);
    }
    // Not at the top: a file needs no engine.
    const { reconcileEngine } = await import('./durable/index.js');
    const where = { url, schema, cwd, name };
    return await reconcileEngine(where, market, books, options, (comparison) =>
      print(comparison, isJson, terminal),
    );
  } finally {
    await market.close();
  }
}

function createProgress({ err, isInteractive = false }: Terminal): ReconcileOptions['onProgress'] {
  let announced = 0;
  return ({ sales, orders }) => {
    if (!isInteractive || orders < announced) return;
    err(`${sales} sales, ${orders} orders so far\n`);
    announced += ordersPerLine;
  };
}

/** Prints each finding when it is made: the last one may be an error that ends the comparison. */
async function print(
  comparison: Reconciliation,
  isJson: boolean,
  { out }: Terminal,
): Promise<number> {
  for await (const each of comparison) out(`${isJson ? JSON.stringify(each) : toText(each)}\n`);
  const { summary } = comparison;
  out(`${isJson ? JSON.stringify({ summary }) : describe(summary)}\n`);
  const found = Object.values(summary.findings).reduce((sum, count) => sum + count, 0);
  if (found > summary.notCheckable) return 2;
  return summary.notCheckable > 0 ? 1 : 0;
}

function toText({ kind, row, idempotencyKey, publicIds, message, nextStep }: Finding): string {
  const line = row === undefined ? [] : [`line ${row + 1}`];
  const key = idempotencyKey === undefined ? [] : [idempotencyKey];
  const subject = [...line, ...key, ...publicIds].join(' ');
  return `${kind.padEnd(24)}${subject}\n  ${message}\n  ${nextStep}`;
}

function describe({ sales, orders, agreed, notCheckable, from, to }: ReconcileSummary): string {
  const window = `From ${from} to ${to}:`;
  if (sales === 0) {
    return `${window} no sale to compare with ${orders} orders. By default the window ends 15 minutes ago; --to sets its end.`;
  }
  return `${window} ${agreed} of ${sales} sales agree with ${orders} orders, ${notCheckable} could not be checked.`;
}

/** A line that is not JSON is passed on as it is: it becomes a finding with its line. */
async function* readLines(file: string): AsyncGenerator<unknown, void, undefined> {
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Infinity,
  })) {
    yield readLine(line);
  }
}

function readLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

interface ReconcileArguments {
  readonly file: string;
  readonly engine: string | undefined;
  readonly name: string | undefined;
  readonly schema: string;
  readonly isJson: boolean;
  readonly books: Omit<BooksToReconcile, 'sales'>;
}

function readArguments(args: readonly string[]): ReconcileArguments {
  const { values, positionals } = parse(args);
  const [file = '', ...more] = positionals;
  const { engine, name, schema } = values;
  if (more.length > 0 || (file === '') === (engine === undefined)) {
    throw new UsageError('"reconcile" takes one file, or --engine');
  }
  return {
    file,
    engine,
    name,
    schema,
    isJson: values.json,
    books: {
      from: values.from ?? Date.now() - defaultDays * dayMs,
      to: values.to,
      stuckAfterMs: readStuckAfterMs(values['stuck-after']),
      settlements: values.settlements,
    },
  };
}

function readStuckAfterMs(days: string | undefined): number | undefined {
  if (days === undefined) return undefined;
  if (Number(days) > 0) return Number(days) * dayMs;
  throw new UsageError(`"--stuck-after" must be a number of days above 0; received "${days}"`);
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      engine: { type: 'string' },
      name: { type: 'string' },
      schema: { type: 'string', default: 'pgboss' },
      from: { type: 'string' },
      to: { type: 'string' },
      'stuck-after': { type: 'string' },
      settlements: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
}
