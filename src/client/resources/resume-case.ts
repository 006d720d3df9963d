/** resumeCase: what came of a brokerage case whose response was lost. */

import { endpoints } from '../endpoints.js';
import { brokerageCaseInput } from '../input/index.js';
import { isRecord } from '../../core/json.js';
import { parseServiceTime } from '../../core/service-time.js';
import { clockSkewMs } from '../assumptions.js';
import type {
  BrokerageCase,
  BrokerageCaseInput,
  BrokerageEligibility,
  PageRequest,
} from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';
import type { CallPromise } from '../results/call-promise.js';
import type { ListPage } from '../sale/absence-proof.js';
import { isOtherDomain } from '../sale/compare-fields.js';
import { isRefusedWrite } from '../sale/judge-refund.js';
import {
  assertFresh,
  checkResumeArguments,
  lookTwice,
  openResult,
  searchList,
  unproven,
  type OpenResult,
  type ResumeEngine,
} from './resume-write.js';

/**
 * A brokerage case that was begun: what was stored before `brokerage.openCase`.
 *
 * @example
 * ```ts
 * import type { CaseToResume } from 'market-partner-sdk';
 *
 * const begun: CaseToResume = {
 *   input: { domain: 'wanted.example', tier: 'managed', buyer_email: 'ada@buyer.example' },
 *   startedAt: new Date('2026-11-21T08:00:00Z'),
 * };
 * console.log(begun.input.domain);
 * ```
 */
export interface CaseToResume {
  /** The input of `brokerage.openCase`; it must have a `domain`. */
  input: BrokerageCaseInput;
  /** When it was stored or first sent: a Date, Unix milliseconds, or ISO 8601 with a zone. */
  startedAt: Date | number | string;
}

/**
 * What came of a brokerage case.
 * - `opened`: the list shows exactly one case of this domain and buyer since `startedAt`, or a repeat
 *   opened it.
 * - `refused`: the domain is not eligible, or the service refused the repeat.
 * - `open`: the list or the eligibility could not be read. Call again later.
 * - `attention`: several cases may be this one, or none is visible. A second request may open another
 *   one, so your team decides, or `repeat: 'accept'` does if none is visible.
 *
 * @example
 * ```ts
 * import type { ResumedCase } from 'market-partner-sdk';
 *
 * const isOver = ({ state }: ResumedCase) => state === 'opened' || state === 'refused';
 * console.log(isOver({ state: 'open', error: undefined, retryAfterMs: undefined }));
 * ```
 */
export type ResumedCase =
  | {
      readonly state: 'opened';
      readonly found: 'looked_up' | 'repeated';
      readonly case: BrokerageCase;
    }
  | { readonly state: 'refused'; readonly reason: string; readonly error: unknown }
  | OpenResult
  | { readonly state: 'attention'; readonly candidates: readonly BrokerageCase[] };

/** A case that was sent. */
interface CaseToFind {
  /** In lower-case ASCII form. */
  readonly domain: string;
  readonly buyerEmail: string;
  readonly startedAtMs: number;
}

/** The parts of the client that a resumed case uses. */
interface CaseContext {
  readonly engine: ResumeEngine;
  readonly brokerage: {
    listCases(page: PageRequest, options: RequestOptions): PromiseLike<ListPage<BrokerageCase>>;
    checkEligibility(domain: string, options: RequestOptions): CallPromise<BrokerageEligibility>;
    openCase(input: BrokerageCaseInput, options: RequestOptions): PromiseLike<BrokerageCase>;
  };
}

const caseToResume = {
  noun: 'case',
  endpoint: endpoints.brokerage.openCase,
  schema: brokerageCaseInput,
  findBy: 'domain',
} as const;

/** Rejects for a wrong argument only; what the calls reject with is part of the result. */
export async function resumeCase(
  context: CaseContext,
  given: unknown,
  options: unknown,
): Promise<ResumedCase> {
  const { brokerage, engine } = context;
  const checked = checkResumeArguments(engine, caseToResume, given, options);
  const { input, foundBy: domain, startedAtMs, repeat, call } = checked;
  const toFind = { domain, buyerEmail: input.buyer_email, startedAtMs };
  const time = engine.deadline();
  try {
    const look = () => findCase(context, toFind, call, () => time.nowMs());
    const found = await lookTwice(look, (ms) => time.sleep(ms, call.signal));
    if (found !== undefined) return found;
    const { data, response } = await brokerage.checkEligibility(domain, call).withResponse();
    assertFresh('GET /brokerage/eligibility', response);
    const { eligible, reason, domain: stated } = isRecord(data) ? data : {};
    if (isOtherDomain(stated, domain)) {
      const other = JSON.stringify(stated);
      throw unproven(`GET /brokerage/eligibility proves nothing: it is for ${other}.`);
    }
    if (eligible === false) return judgeIneligible(reason);
    return repeat === 'never'
      ? { state: 'attention', candidates: [] }
      : await sendAgain(context, input, call, look);
  } catch (error) {
    return openResult(error);
  }
}

/** "Already in a case" may be this one; without a reason it may be so too (specification, part 4.5). */
function judgeIneligible(reason: unknown): ResumedCase {
  const isOtherReason = typeof reason === 'string' && reason !== '' && !/case/i.test(reason);
  return isOtherReason
    ? { state: 'refused', reason, error: undefined }
    : { state: 'attention', candidates: [] };
}

/** `undefined`: the list proves that no case of this domain and buyer was opened. */
async function findCase(
  { brokerage, engine }: CaseContext,
  toFind: CaseToFind,
  call: RequestOptions,
  nowMs: () => number,
): Promise<ResumedCase | undefined> {
  const candidates = await searchList<BrokerageCase>({
    noun: 'cases',
    nothing: 'GET /brokerage shows no such case',
    readPage: (cursor, deadlineMs) =>
      brokerage.listCases(cursor === undefined ? {} : { cursor }, { ...call, deadlineMs }),
    keep: (each) => compareCase(toFind, each) !== 'other',
    nowMs,
    deadlineMs: call.deadlineMs ?? engine.limits.deadlineMs,
  });
  const [first, ...others] = candidates;
  if (first === undefined) return undefined;
  return others.length === 0 && compareCase(toFind, first) === 'ours'
    ? { state: 'opened', found: 'looked_up', case: first }
    : { state: 'attention', candidates };
}

/**
 * Whether a listed case is the one whose response was lost. `'ours'` states the domain, the buyer and a date
 * since the start. Whatever it does not state, or a date up to 300 s before, which two clocks may explain,
 * makes it `'possible'`.
 */
function compareCase(
  { domain, buyerEmail, startedAtMs }: CaseToFind,
  { domain: statedDomain, buyer_email: statedEmail, created_at: createdAt }: BrokerageCase,
): 'ours' | 'possible' | 'other' {
  if (isOtherDomain(statedDomain, domain)) return 'other';
  const email = typeof statedEmail === 'string' ? statedEmail.trim().toLowerCase() : '';
  if (email !== '' && email !== buyerEmail.toLowerCase()) return 'other';
  const createdMs = parseServiceTime(createdAt);
  if (createdMs < startedAtMs - clockSkewMs) return 'other';
  const statesAll = typeof statedDomain === 'string' && statedDomain !== '' && email !== '';
  return statesAll && createdMs >= startedAtMs ? 'ours' : 'possible';
}

/** A refused repeat may be one of a case that was opened meanwhile. */
async function sendAgain(
  { brokerage }: CaseContext,
  input: BrokerageCaseInput,
  call: RequestOptions,
  look: () => Promise<ResumedCase | undefined>,
): Promise<ResumedCase> {
  try {
    return { state: 'opened', found: 'repeated', case: await brokerage.openCase(input, call) };
  } catch (error) {
    if (!isRefusedWrite(error)) return openResult(error);
    const { code } = error as { code: string };
    return (await look()) ?? { state: 'refused', reason: code, error };
  }
}
