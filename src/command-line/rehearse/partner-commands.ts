/** PartnerCommands: `--sell` and `--ask`, each a shell command or an address. */

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

/** What `--ask` said, and how its command ended; both `undefined` without `--ask`. */
export interface Answer {
  readonly belief: Belief;
  readonly result: CommandResult | undefined;
}

interface CommandSettings {
  readonly sell: string;
  readonly ask: string | undefined;
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

  /** Runs a command of its own, such as one that empties a database. Never rejects. */
  prepare(command: string): Promise<CommandResult> {
    return this.#runShell(command, prepareTimeoutMs);
  }

  /** Asks what the partner believes about a payment. Never rejects. */
  async ask(sale: SaleNames): Promise<Answer> {
    const { ask } = this.#settings;
    if (ask === undefined) return { belief: undefined, result: undefined };
    const result = await this.#run('GET', ask, sale, 10_000);
    const belief = result.isOk ? beliefIn(result.output) : undefined;
    return { belief, result };
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

/** The word by itself, or in JSON: `"placed"`, or one field of an object, such as `{ "state": "placed" }`. */
function beliefIn(output: string): Belief {
  const text = output.trim();
  const json = parseJson(text);
  const words = isRecord(json) ? Object.values(json) : [json ?? text];
  const found = words.flatMap(
    (word: unknown) => beliefs.find((each) => each === String(word).toLowerCase()) ?? [],
  );
  return found.length === 1 ? found[0] : undefined;
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
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { isOk: false, how: cause instanceof Error ? cause.message : String(cause), output: '' };
  }
}
