/** The command `market-partner-sdk reconcile`: the books in a file against the service. */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Finding } from '../client/books/findings.js';
import type { BooksToReconcile, ReconcileOptions } from '../client/books/reconcile-options.js';
import type { Reconciliation, ReconcileSummary } from '../client/books/reconcile.js';
import { parseJson } from '../core/json.js';
import { readProfile } from './profile-file.js';
import { UsageError, type CommandTerminal } from './terminal.js';
import { envFileOption, variablesOf, type EnvFileArguments } from './env-file.js';
import { readLines } from './text-file.js';
import { positiveNumber } from './values.js';

const defaultDays = 7;
const dayMs = 86_400_000;

interface ReconcileArguments extends EnvFileArguments {
  readonly engine?: string;
  readonly name?: string;
  readonly schema: string;
  readonly from?: string;
  readonly to?: string;
  readonly stuckAfter?: number;
  readonly settlements: boolean;
  readonly json: boolean;
}

export function addReconcile(program: Command, terminal: CommandTerminal): void {
  program
    .command('reconcile [file.jsonl]')
    .summary('compare your books with the orders at the service')
    .description(
      `Compares your books with the orders at the service, with MARKET_BASE_URL, MARKET_KEY_ID and MARKET_SECRET. It only reads. Each line of the file is a sale as JSON: { "idempotencyKey", "input", "startedAt", "state", "publicId", "status", "refundedAt" }`,
    )
    .option(
      '--engine <url>',
      'an outbox as the books: sqlite:market.db, postgres://user@host/database',
    )
    .option('--name <name>', 'the outbox of this name, if there are several')
    .option('--schema <name>', 'PostgreSQL: the schema of pg-boss', 'pgboss')
    .option('--from <time>', `begin of the window, ISO 8601; ${defaultDays} days ago unless given`)
    .option('--to <time>', 'end of the window; 15 minutes ago unless given')
    .option(
      '--stuck-after <days>',
      'report orders that have had one status for longer',
      positiveNumber,
    )
    .addOption(envFileOption())
    .option('--settlements', 'compare the settlement statements too', false)
    .option('--json', 'print findings as JSON lines, the summary last', false)
    .addHelpText(
      'after',
      `
Exit code: 0 the books agree, 2 something differs, 1 it could not be checked.

Example: market-partner-sdk reconcile sales.jsonl --from 2026-11-01 --settlements`,
    )
    .action(async (file: string | undefined, given: ReconcileArguments) => {
      terminal.exitWith(await reconcile(file, given, terminal));
    });
}

async function reconcile(
  file: string | undefined,
  given: ReconcileArguments,
  terminal: CommandTerminal,
): Promise<number> {
  const { engine: url, name, schema, from, to, stuckAfter, settlements, json } = given;
  const { cwd = process.cwd(), stop } = terminal;
  if ((file === undefined) === (url === undefined)) {
    throw new UsageError('"reconcile" takes one file, or --engine');
  }
  const books = {
    from: from ?? Date.now() - defaultDays * dayMs,
    to,
    stuckAfterMs: stuckAfter === undefined ? undefined : stuckAfter * dayMs,
    settlements,
  };
  const env = await variablesOf(terminal, given);
  const { MarketClient } = await import('../client/client.js');
  const market = new MarketClient({
    baseUrl: env.MARKET_BASE_URL,
    keyId: env.MARKET_KEY_ID,
    secret: env.MARKET_SECRET,
    profile: await readProfile(env.MARKET_PROFILE),
  });
  const onProgress: ReconcileOptions['onProgress'] = ({ sales, orders }) =>
    terminal.progress(`${sales} sales, ${orders} orders so far`);
  const options = { onProgress, signal: stop };
  try {
    if (file !== undefined) {
      const lines: number[] = [];
      const sales = readSales(resolve(cwd, file), lines) as BooksToReconcile['sales'];
      const comparison = market.orders.reconcile({ ...books, sales }, options);
      return await print(comparison, json, terminal, lines);
    }
    // Not at the top: a file needs no engine.
    const { reconcileEngine } = await import('./durable/index.js');
    const where = { url: url ?? '', schema, cwd, name };
    return await reconcileEngine(where, market, books, options, (comparison) =>
      print(comparison, json, terminal),
    );
  } finally {
    await market.close();
  }
}

/** Prints each finding when it is made: the last one may be an error that ends the comparison. */
async function print(
  comparison: Reconciliation,
  isJson: boolean,
  { out, row }: CommandTerminal,
  lines?: readonly number[],
): Promise<number> {
  for await (const each of comparison) {
    if (isJson) out(`${JSON.stringify(each)}\n`);
    else printFinding(each, row, lines);
  }
  const { summary } = comparison;
  out(`${isJson ? JSON.stringify({ summary }) : describe(summary)}\n`);
  const found = Object.values(summary.findings).reduce((sum, count) => sum + count, 0);
  if (found > summary.notCheckable) return 2;
  return summary.notCheckable > 0 ? 1 : 0;
}

function printFinding(
  { kind, row, idempotencyKey, publicIds, message, nextStep }: Finding,
  print: CommandTerminal['row'],
  lines?: readonly number[],
): void {
  const line = row === undefined ? [] : [`line ${lines?.[row] ?? row + 1}`];
  const key = idempotencyKey === undefined ? [] : [idempotencyKey];
  const subject = [...line, ...key, ...publicIds].join(' ');
  print(`${kind.padEnd(24)}${subject}`, { tone: 'bad', indent: 24 });
  print(`  ${message}`, { tone: 'text' });
  print(`  ${nextStep}`, { tone: 'text' });
}

function describe({ sales, orders, agreed, notCheckable, from, to }: ReconcileSummary): string {
  const window = `From ${from} to ${to}:`;
  if (sales === 0) {
    return `${window} no sale to compare with ${orders} orders. By default the window ends 15 minutes ago; --to sets its end.`;
  }
  return `${window} ${agreed} of ${sales} sales agree with ${orders} orders, ${notCheckable} could not be checked.`;
}

/**
 * The sales of a file; `lines` gets the number of the line of each. A line that is not JSON is passed
 * on as it is: it becomes a finding.
 */
async function* readSales(file: string, lines: number[]): AsyncGenerator<unknown, void, undefined> {
  for await (const { number, text } of readLines(file)) {
    // Else each line would be a finding, and each order one that the books do not have.
    if (lines.length === 0 && /^\[|^\{$/.test(text)) throw new Error(`${file}: ${notLines}`);
    lines.push(number);
    const sale = parseJson(text);
    yield sale === undefined ? text : sale;
  }
}

const notLines =
  'it is one JSON text over several lines, or a list. Write each sale on a line of its own, as jq -c does: jq -c ".[]" of a list';
