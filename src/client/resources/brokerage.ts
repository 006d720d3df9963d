/** Brokerage: the service acquires a domain for the partner's user (specification, parts 4.4 and 4.5). */

import { endpoints } from '../endpoints.js';
import type { CallPromise } from '../results/call-promise.js';
import type { Engine } from '../engine/engine.js';
import type {
  BrokerageCase,
  BrokerageCaseInput,
  BrokerageEligibility,
  PageRequest,
} from '../model/index.js';
import type { RequestOptions } from '../options/request-options.js';
import { findOtherId } from './check-record.js';
import { resumeCase, type CaseToResume, type ResumedCase } from './resume-case.js';
import type { ResumeWriteOptions } from './resume-write.js';
import type { Page } from '../results/page.js';
import type { PagePromise } from '../results/page-promise.js';

/** `market.brokerage`: open acquisition cases and follow them. */
export class Brokerage {
  readonly #engine: Engine;

  /** @internal */
  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Asks whether a case can be opened for a domain: not if an active site runs on it, or if
   * it is in a case already. Scope: `broker`.
   *
   * @throws {@link InvalidRequestError} when `domain` is not a domain name.
   * @see specification, part 4.5: GET /brokerage/eligibility
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const { eligible, reason } = await market.brokerage.checkEligibility('wanted.example');
   * console.log(eligible ? 'a case can be opened' : reason);
   * ```
   */
  checkEligibility(domain: string, options?: RequestOptions): CallPromise<BrokerageEligibility> {
    return this.#engine.call(endpoints.brokerage.checkEligibility, { query: { domain } }, options);
  }

  /**
   * Opens an acquisition case for a user who opted in; the result has a progress link that the
   * buyer follows without logging in. Scope: `broker`.
   *
   * A second case could do harm, so this call is not retried if the first request may have
   * been worked on: it then fails with `outcome: 'unknown'`, and `resumeCase` finds out.
   *
   * @throws {@link InvalidRequestError} when the input breaks a rule.
   * @see specification, part 4.5: POST /brokerage
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const opened = await market.brokerage.openCase({
   *   domain: 'wanted.example',
   *   tier: 'managed',
   *   buyer_email: 'ada@buyer.example',
   *   budget: 5000,
   * });
   * console.log(opened.case_id, opened.progress_url);
   * ```
   */
  openCase(input: BrokerageCaseInput, options?: RequestOptions): CallPromise<BrokerageCase> {
    return this.#engine.call(endpoints.brokerage.openCase, { body: input }, options);
  }

  /**
   * Finds out what came of a case whose end is not known. It reads the list of cases and the domain's
   * eligibility and sends nothing, unless `repeat: 'accept'` is given. Scope: `broker` and `report`.
   *
   * @throws {@link InvalidRequestError} when an argument breaks a rule. Every other error is in the
   * result: `open` until the end is known.
   * @see specification, parts 4.4 and 4.5: POST /brokerage, GET /brokerage, GET /brokerage/eligibility
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const resumed = await market.brokerage.resumeCase({
   *   input: { domain: 'wanted.example', tier: 'managed', buyer_email: 'ada@buyer.example' },
   *   startedAt: Date.now() - 60_000,
   * });
   * if (resumed.state === 'opened') console.log(resumed.case.progress_url);
   * ```
   */
  resumeCase(begun: CaseToResume, options?: ResumeWriteOptions): Promise<ResumedCase> {
    return resumeCase({ brokerage: this, engine: this.#engine }, begun, options);
  }

  /**
   * Reads one of your cases: status, details, timeline. Scope: `broker`.
   *
   * @throws {@link InvalidRequestError} when the id could leave its place in the path.
   * @throws {@link NotFoundError} when you have no such case.
   * @see specification, part 4.5: GET /brokerage/\{case_id\}
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * const found = await market.brokerage.getCase('case_1001');
   * console.log(found.status, found.outcome);
   * ```
   */
  getCase(caseId: string, options?: RequestOptions): CallPromise<BrokerageCase> {
    return this.#engine.call(endpoints.brokerage.getCase, { param: caseId }, options, (found) =>
      findOtherId('case_id', caseId, found),
    );
  }

  /**
   * Lists your cases and their outcomes. Scope: `report`, not `broker`.
   *
   * @see specification, part 4.4: GET /brokerage
   *
   * @example
   * ```ts
   * import { MarketClient } from 'market-partner-sdk';
   *
   * const market = new MarketClient();
   * for await (const one of market.brokerage.listCases()) {
   *   console.log(one.case_id, one.status, one.outcome);
   * }
   * ```
   */
  listCases(page: PageRequest = {}, options?: RequestOptions): PagePromise<Page<BrokerageCase>> {
    return this.#engine.callPages(endpoints.brokerage.listCases, page, options);
  }
}
