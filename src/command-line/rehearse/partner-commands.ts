/** PartnerCommands: `--sell`, `--ask` and `--withdraw`, each a shell command or an address. */

import { once } from 'node:events';
import { isRecord, parseJson } from '../../core/json.js';
import { localFetch } from '../local-fetch.js';
import type { ProcessGroups } from './process-groups.js';

/** What `--ask` says about a payment; `undefined` if it could not be read. */
export type Belief = 'placed' | 'refused' | 'open' | undefined;

const beliefs = ['placed', 'refused', 'open'] as const;

export interface CommandResult {
  /** Exit code 0, or a status of 2xx. */
  readonly isOk: boolean;
  /** `exit code 7`, `status 502`, or why there is none. */
  readonly how: string;
  readonly output: string;
}

export interface SaleNames {
  readonly domain: string;
  readonly payment: string;
}

/** What `--ask` said, and how its command ended; all `undefined` without `--ask`. */
export interface Answer {
  readonly belief: Belief;
  /** `undefined`: it did not say. */
  readonly paidBackCents: number | undefined;
  readonly result: CommandResult | undefined;
}

interface CommandSettings {
  readonly sell: string;
  readonly ask: string | undefined;
  readonly withdraw: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const prepareTimeoutMs = 60_000;

/** The most that is kept of a command's output. */
const maxOutput = 20_000;

export class PartnerCommands {
  readonly #settings: CommandSettings;
  readonly #groups: ProcessGroups;

  constructor(settings: CommandSettings, groups: ProcessGroups) {
    this.#settings = settings;
    this.#groups = groups;
  }

  get canAsk(): boolean {
    return this.#settings.ask !== undefined;
  }

  /** Sells a domain for a payment that was made. Never rejects. */
  sell(sale: SaleNames, timeoutMs: number): Promise<CommandResult> {
    return this.#run('POST', this.#settings.sell, sale, timeoutMs);
  }

  /** Tells of the buyer's withdrawal. Never rejects. */
  withdraw(sale: SaleNames, timeoutMs: number): Promise<CommandResult> {
    return this.#run('POST', this.#settings.withdraw ?? '', sale, timeoutMs);
  }

  /** Runs a command of its own, such as one that empties a database. Never rejects. */
  prepare(command: string): Promise<CommandResult> {
    return this.#runShell(command, prepareTimeoutMs);
  }

  /** Asks what the partner believes about a payment. Never rejects. */
  async ask(sale: SaleNames): Promise<Answer> {
    const { ask } = this.#settings;
    const nothing = { belief: undefined, paidBackCents: undefined };
    if (ask === undefined) return { ...nothing, result: undefined };
    const result = await this.#run('GET', ask, sale, 10_000);
    return { ...(result.isOk ? answerIn(result.output) : nothing), result };
  }

  #run(
    method: string,
    template: string,
    sale: SaleNames,
    timeoutMs: number,
  ): Promise<CommandResult> {
    const text = fill(template, sale);
    return isAddress(template)
      ? callAddress(method, text, timeoutMs)
      : this.#runShell(text, timeoutMs);
  }

  async #runShell(command: string, timeoutMs: number): Promise<CommandResult> {
    const { cwd, env } = this.#settings;
    const child = this.#groups.spawn('/bin/sh', ['-c', command], { cwd, env });
    let output = '';
    const add = (text: string) => (output = (output + text).slice(-maxOutput));
    child.stdout?.setEncoding('utf8').on('data', add);
    let errors = '';
    child.stderr
      ?.setEncoding('utf8')
      .on('data', (text: string) => (errors = (errors + text).slice(-maxOutput)));
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
      this.#groups.signal(child.pid, 'SIGKILL');
    }, timeoutMs);
    try {
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
      if (late.signal.aborted) return { isOk: false, how: `no end within ${timeoutMs} ms`, output };
      const how = signal ?? `exit code ${code}`;
      return { isOk: code === 0, how, output: code === 0 ? output : `${output}${errors}` };
    } catch (error) {
      return { isOk: false, how: String(error), output };
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * The word by itself, or in JSON: `"placed"`, or one field of an object, such as `{ "state": "placed" }`. With the
 * cents that were paid back: `refused 51200`, or `{ "state": "refused", "paid_back": 51200 }`.
 */
function answerIn(output: string): Pick<Answer, 'belief' | 'paidBackCents'> {
  const text = output.trim();
  const json = parseJson(text);
  const values: readonly unknown[] = isRecord(json) ? Object.values(json) : [json ?? text];
  const found = values.flatMap((value) => {
    const [, word = '', cents] = /^(placed|refused|open)(?:\s+(\d+))?$/i.exec(String(value)) ?? [];
    const belief = beliefs.find((each) => each === word.toLowerCase());
    return belief === undefined ? [] : [{ belief, cents }];
  });
  const [one, other] = found;
  if (one === undefined || other !== undefined)
    return { belief: undefined, paidBackCents: undefined };
  const { paid_back: field } = Object(json) as { paid_back?: unknown };
  const cents = Number(one.cents ?? (typeof field === 'number' ? field : NaN));
  return { belief: one.belief, paidBackCents: Number.isInteger(cents) ? cents : undefined };
}

/** Whether it is an address to call, not a command to run. */
export function isAddress(template: string): boolean {
  return /^https?:\/\//i.test(template);
}

/** The values need no quotes in a shell and no encoding in an address: see {@link safeName}. */
function fill(template: string, { domain, payment }: SaleNames): string {
  return template
    .replaceAll('{domain}', safeName(domain))
    .replaceAll('{payment}', safeName(payment));
}

function safeName(value: string): string {
  if (/^[a-z0-9][a-z0-9.-]*$/.test(value)) return value;
  throw new Error(`${JSON.stringify(value)} cannot be put into a command`);
}

async function callAddress(method: string, url: string, timeoutMs: number): Promise<CommandResult> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await localFetch(url, { method, signal });
    const output = (await response.text()).slice(0, maxOutput);
    return { isOk: response.ok, how: `status ${response.status}`, output };
  } catch (error) {
    // The message may hold the address with its login, and the report is passed on.
    const { name, cause } = error as Error & { readonly cause?: { readonly code?: string } };
    return { isOk: false, how: cause?.code ?? name, output: String(error) };
  }
}
