/** playCase: plays one case on the stage, and returns its result. */

import { NotApplicable, NotExercised, type Case, type Scene } from './case.js';
import { finding, type Finding, type SeenRequest } from './findings.js';
import { judgeSale } from './judge-sale.js';
import type { LedgerOrder } from './ledger.js';
import type { Belief, CommandResult } from './partner-commands.js';
import type { Sale } from './sale.js';

export type CaseStatus = 'held' | 'failed' | 'not exercised' | 'skipped';

export interface CaseResult {
  readonly name: string;
  readonly title: string;
  /** From 1 to the value of `--repeat`. */
  readonly round: number;
  readonly status: CaseStatus;
  /** Why it was skipped or not exercised. */
  readonly reason: string | undefined;
  readonly findings: readonly Finding[];
  readonly ms: number;
  readonly sales: readonly SaleEvidence[];
}

/** What the report shows about a sale. */
export interface SaleEvidence {
  readonly payment: string;
  readonly domain: string;
  readonly paidCents: number;
  /** `undefined` without `--ask`. */
  readonly belief: Belief;
  readonly paidBackCents: number | undefined;
  readonly orders: readonly LedgerOrder[];
  /** How the sell commands ended. */
  readonly sold: readonly CommandResult[];
  /** How the ask command ended last; `undefined` without `--ask`. */
  readonly asked: CommandResult | undefined;
  readonly requests: readonly SeenRequest[];
}

export interface Play {
  /** Resolves when the next case may act. */
  readonly acted: Promise<unknown>;
  readonly result: Promise<CaseResult>;
}

const rightExit = 'catch what a delivery or a call throws; start also while the service is away.';

export function playCase(played: Case, scene: Scene, round: number): Play {
  const startedAt = Date.now();
  const exitsBefore = scene.program.unexpectedExits.length;
  const act = attempt(async () => {
    played.arrange?.(scene);
    if (played.act === undefined) await Promise.all(scene.sales.map((sale) => sale.sell()));
    else await played.act(scene);
  });
  const end = async (): Promise<CaseResult> => {
    const stopped = await act;
    await Promise.all(scene.sales.map((sale) => sale.settle()));
    // The checks of the case may change what the partner believes, so those of the sale come first.
    const findings = scene.sales.flatMap((sale) => judge(played, sale, scene));
    const asked =
      stopped ??
      (await attempt(async () => {
        findings.push(...((await played.expect?.(scene)) ?? []));
      }));
    for (const { how } of scene.program.unexpectedExits.slice(exitsBefore)) {
      const seen = `The program ended by itself, with ${how}.`;
      findings.push(finding('stays-up', seen, rightExit));
    }
    const missed = scene.sales.flatMap((sale) => sale.missed);
    const { status, reason } = statusOf(findings, asked, missed);
    return {
      name: played.name,
      title: played.title,
      round,
      status,
      reason,
      findings,
      ms: Date.now() - startedAt,
      sales: scene.sales.map(evidenceOf),
    };
  };
  return { acted: act, result: end() };
}

export function skippedCase(
  { name, title }: Pick<Case, 'name' | 'title'>,
  round: number,
  reason: string,
): CaseResult {
  return {
    name,
    title,
    round,
    status: 'skipped',
    reason,
    findings: [],
    ms: 0,
    sales: [],
  };
}

export function evidenceOf(sale: Sale): SaleEvidence {
  const { payment, domain, paidCents, belief, paidBackCents, orders, asked, requests } = sale;
  const [told, sold] = [{ payment, domain, paidCents, belief, paidBackCents }, sale.results];
  return { ...told, orders, sold, asked, requests };
}

/** Why a case could not continue; anything else that is thrown ends the rehearsal. */
type Stop = NotExercised | NotApplicable | undefined;

async function attempt(step: () => Promise<void>): Promise<Stop> {
  try {
    await step();
    return undefined;
  } catch (error) {
    if (error instanceof NotExercised || error instanceof NotApplicable) return error;
    throw error;
  }
}

function judge(
  { mustBePlaced = true, beliefRule }: Case,
  sale: Sale,
  { commands: { canAsk } }: Scene,
): Finding[] {
  const found = judgeSale(sale, { canAsk, mustBePlaced });
  if (beliefRule === undefined) return found;
  return found.map((each) => (isAboutBelief(each) ? { ...each, rule: beliefRule } : each));
}

function isAboutBelief({ rule }: Finding): boolean {
  return rule === 'believes-the-truth' || rule === 'comes-to-an-end';
}

function statusOf(
  findings: readonly Finding[],
  stopped: Stop,
  missed: readonly string[],
): Pick<CaseResult, 'status' | 'reason'> {
  if (findings.length > 0) return { status: 'failed', reason: stopped?.message };
  if (stopped instanceof NotApplicable) return { status: 'skipped', reason: stopped.message };
  // A fault that never happened has proved nothing.
  const reason = stopped?.message ?? missed[0];
  return reason === undefined
    ? { status: 'held', reason: undefined }
    : { status: 'not exercised', reason };
}
