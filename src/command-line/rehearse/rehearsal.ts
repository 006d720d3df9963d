/** rehearse: starts the emulator and the program, plays the catalog, ends what it started. */

import { randomBytes } from 'node:crypto';
import { randomFrom } from '../../testing/identifiers.js';
import type { MarketEmulator } from '../../testing/emulator.js';
import { cases, plainSale, unmetNeed } from './cases/index.js';
import { priceOf, type Case, type Scene } from './case.js';
import type { Finding } from './findings.js';
import { judgeOutput, judgeRequests } from './judge-run.js';
import { judgeSale } from './judge-sale.js';
import { Ledger } from './ledger.js';
import { openStage, startEmulator } from './open-stage.js';
import type { RehearsalOptions } from './options.js';
import type { Rehearsal } from './report.js';
import { evidenceOf, playCase, skippedCase, type CaseResult, type Play } from './play-case.js';
import { CouldNotRun } from './program.js';
import { ProcessGroups } from './process-groups.js';
import { ProgramOutput } from './program-output.js';
import { Sale } from './sale.js';
import type { Stage } from './stage.js';
import { requireSale } from './require-sale.js';
import { together } from './together.js';

export interface RehearsalListener {
  /** Called once, with the number of results that will come. */
  readonly onPlan: (total: number) => void;
  readonly onBegin: (name: string) => void;
  readonly onResult: (result: CaseResult) => void;
  readonly onNote: (text: string) => void;
}

/** A program that has left so many sales open has stopped working; the others would all be waited for. */
const mostLeftOpen = 6;

/** A program that calls nothing for so long is told of, and waited for. */
const silentMs = 8_000;

/** Never rejects: the result says what could not be run. */
export async function rehearse(
  options: RehearsalOptions,
  listener: RehearsalListener,
  signal: AbortSignal,
): Promise<Rehearsal> {
  const run = new Run(options, listener, signal);
  let couldNotRun: string | undefined;
  let printed = '';
  try {
    await run.play();
  } catch (error) {
    couldNotRun = signal.aborted ? 'It was stopped.' : whyNot(error);
    if (error instanceof CouldNotRun && !signal.aborted) ({ printed } = error);
  } finally {
    await run.end();
  }
  const { results, notes, output } = run;
  return { results, couldNotRun, printed, notes, output };
}

function whyNot(error: unknown): string {
  if (error instanceof CouldNotRun) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

class Run {
  readonly results: CaseResult[] = [];
  readonly #options: RehearsalOptions;
  readonly notes: string[] = [];
  readonly #listener: RehearsalListener;
  /** Aborts at Ctrl-C, and at the end: whatever still waits has nothing to wait for. */
  readonly #signal: AbortSignal;
  readonly #ending = new AbortController();
  readonly #groups = new ProcessGroups();
  readonly #output = new ProgramOutput();
  readonly #ledger = new Ledger(() => this.#emulator?.events ?? [], this.#output.secretsIn);
  /** Payments must be new to a program that keeps its books from run to run. */
  readonly #name = randomBytes(4).toString('hex');
  readonly #sales: Sale[] = [];
  /** The cases in which a sale was still open when patience had passed. */
  readonly #leftOpen = new Set<string>();
  #emulator: MarketEmulator | undefined;

  constructor(options: RehearsalOptions, listener: RehearsalListener, signal: AbortSignal) {
    this.#options = options;
    this.#listener = listener;
    this.#signal = AbortSignal.any([signal, this.#ending.signal]);
  }

  get #hasStopped(): boolean {
    return this.#leftOpen.size >= mostLeftOpen;
  }

  get output(): string {
    return this.#output.text;
  }

  async play(): Promise<void> {
    const { only, repeat } = this.#options;
    const groups = this.#groups;
    this.#emulator = await startEmulator(this.#ledger, this.#options.profile);
    const stage = await openStage(this.#options, {
      emulator: this.#emulator,
      ledger: this.#ledger,
      groups,
      output: this.#output,
      onNote: this.#note,
      hasStopped: () => this.#hasStopped,
      signal: this.#signal,
    });
    const wanted = cases.filter(({ name }) => only.length === 0 || only.includes(name));
    // With the plain sale of each round, and what is looked at in the end.
    this.#listener.onPlan(repeat * (wanted.length + 1) + 3);
    for (let round = 1; round <= repeat; round += 1) {
      const told = setTimeout(() => this.#tellOfSilence(), silentMs);
      const { result } = this.#begin(plainSale, stage, round);
      const first = await result.finally(() => clearTimeout(told));
      const isSold = round > 1 || requireSale(first, this.#options, this.#output);
      this.#report(first);
      if (!isSold) {
        this.#note('The plain sale failed by this mistake, so no other case was played.');
        return;
      }
      await this.#playAll(wanted, stage, round);
    }
    await this.#lookAgain(stage);
    this.#judgeRun();
  }

  #tellOfSilence(): void {
    if (this.#emulator?.requests.length !== 0) return;
    const { patienceMs } = this.#options;
    this.#note(
      `No call has reached the emulator in ${silentMs / 1_000} s: the program must call MARKET_BASE_URL. The first sale has until ${patienceMs / 1_000} s (--patience).`,
    );
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#groups.endAll();
    await this.#emulator?.stop();
  }

  /** Plays the cases that restart the program, then those with faults for their own domain together, then the others. */
  async #playAll(wanted: readonly Case[], stage: Stage, round: number): Promise<void> {
    const playable: Case[] = [];
    for (const each of wanted) {
      const missing = unmetNeed(each.name, this.#options);
      if (missing === undefined) playable.push(each);
      else this.#report(skippedCase(each, round, `it needs --${missing}`));
    }
    if (this.#options.beforeEach !== undefined) {
      for (const each of playable) {
        await this.#empty(stage, this.#options.beforeEach);
        await this.#play(each, stage, round).end;
      }
      return;
    }
    const turn = (name: Case['turn']) =>
      playable.filter((each) => (each.turn ?? 'shared') === name);
    // First: what a killed process has claimed is free again after half a minute, in which the others play.
    const ends: Promise<unknown>[] = [];
    for (const each of turn('overlapping')) {
      const { end, acted } = this.#play(each, stage, round);
      await acted;
      ends.push(end);
    }
    const shared = turn('shared');
    for (const each of shared.filter(({ isLong }) => isLong)) {
      ends.push(this.#play(each, stage, round).end);
    }
    const short = shared.filter(({ isLong }) => !isLong);
    await together(short, (each) => this.#play(each, stage, round).end);
    for (const each of turn('alone')) await this.#play(each, stage, round).end;
    await Promise.all(ends);
  }

  /** Plays a case. The next may act once it has acted. */
  #play(
    played: Case,
    stage: Stage,
    round: number,
  ): { acted: Promise<unknown>; end: Promise<void> } {
    if (this.#hasStopped) {
      const reason = `in ${mostLeftOpen} cases before it a sale was left open`;
      this.#report(skippedCase(played, round, reason));
      return { acted: Promise.resolve(), end: Promise.resolve() };
    }
    const { acted, result } = this.#begin(played, stage, round);
    const end = result.then((result) => this.#report(result));
    // It is awaited later; until then a failure must not end the process.
    end.catch(() => undefined);
    return { acted, end };
  }

  /** Starts the program on an empty database. */
  async #empty({ program, commands }: Stage, command: string): Promise<void> {
    await program.deploy(async () => {
      const { isOk, how, output } = await commands.prepare(command);
      const why = new CouldNotRun(`--before-each ended with ${how}.`);
      if (!isOk) throw Object.assign(why, { printed: output.trim() });
    });
  }

  #begin(played: Case, stage: Stage, round: number): Play {
    this.#listener.onBegin(played.name);
    const { seed } = this.#options;
    const at = [plainSale, ...cases].indexOf(played);
    const draw = randomFrom(seed + at * 7_919 + round * 104_729);
    const random = (below: number) => Math.floor(draw() * below);
    const sales: Sale[] = [];
    for (let left = played.sells ?? 1; left > 0; left -= 1) {
      const first = played.resells === true ? sales[0] : undefined;
      sales.push(this.#newSale(stage, first ?? { paidCents: priceOf(played, random) }));
    }
    const [sale] = sales as [Sale];
    const scene: Scene = { ...stage, sales, sale, random };
    const play = playCase(played, scene, round);
    play.result.catch(() => undefined);
    play.acted.catch(() => undefined);
    return play;
  }

  /** No payment's id begins with that of another, which a reference that was cut off would look like. */
  #newSale(stage: Stage, { domain, paidCents }: { domain?: string; paidCents: number }): Sale {
    const payment = `rehearse-${this.#sales.length + 1}-${this.#name}`;
    const sale = new Sale(stage, { domain: domain ?? `${payment}.example`, payment, paidCents });
    this.#sales.push(sale);
    return sale;
  }

  /** A case ends when its sale seems to; this shows what happened afterwards. */
  async #lookAgain({ commands: { canAsk } }: Stage): Promise<void> {
    const what = {
      name: 'books-at-the-end',
      title: 'what the program says of every payment after the last case',
    };
    if (this.#options.beforeEach !== undefined) {
      this.#report(skippedCase(what, this.#options.repeat, '--before-each empties the books'));
      return;
    }
    const startedAt = Date.now();
    const failed = new Set(
      this.results
        .filter(({ status }) => status !== 'held')
        .flatMap(({ sales }) => sales.map(({ payment }) => payment)),
    );
    const sound = this.#sales.filter(({ payment }) => !failed.has(payment));
    const findings: Finding[] = [];
    await together(sound, async (sale) => {
      await sale.askAgain();
      findings.push(...judgeSale(sale, { canAsk, mustBePlaced: false }));
    });
    this.#reportEnd(what, { findings, ms: Date.now() - startedAt, sales: sound.map(evidenceOf) });
  }

  readonly #note = (text: string): void => {
    this.notes.push(text);
    this.#listener.onNote(text);
  };

  #judgeRun(): void {
    const nothingElse = { ms: 0, sales: [] };
    this.#reportEnd(
      { name: 'requests', title: 'how every request was signed' },
      { findings: judgeRequests(this.#ledger), ...nothingElse },
    );
    this.#reportEnd(
      { name: 'output', title: 'what the program printed' },
      { findings: judgeOutput(this.#output, this.#sales), ...nothingElse },
    );
  }

  /** What is looked at once, after the last case. */
  #reportEnd(
    what: Pick<CaseResult, 'name' | 'title'>,
    seen: Pick<CaseResult, 'findings' | 'ms' | 'sales'>,
  ): void {
    const status = seen.findings.length === 0 ? 'held' : 'failed';
    this.#report({
      ...what,
      round: this.#options.repeat,
      status,
      reason: undefined,
      ...seen,
    });
  }

  #report(result: CaseResult): void {
    this.results.push(result);
    const isLeftOpen = result.sales.some(({ belief }) => belief === 'open');
    if (result.status === 'failed' && isLeftOpen) this.#leftOpen.add(result.name);
    this.#listener.onResult(result);
  }
}
