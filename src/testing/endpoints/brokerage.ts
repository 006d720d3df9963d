/** Specification, 4.5, and the list of cases of 4.4. */

import { caseOnWire, ineligibility, openCase } from '../market/brokerage.js';
import { created, listed, ok, type Call, type Endpoint } from '../service/endpoint.js';
import { page } from '../service/pages.js';
import { Refusal } from '../service/refusal.js';

export const brokerageEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/brokerage/eligibility', scopes: ['broker'], run: checkEligibility },
  { method: 'POST', path: '/brokerage', scopes: ['broker'], run: createCase },
  { method: 'GET', path: '/brokerage/{case_id}', scopes: ['broker'], run: getCase },
  { method: 'GET', path: '/brokerage', scopes: ['report'], run: listCases },
];

function checkEligibility({ market, query }: Call) {
  const domain = query.requiredDomain('domain');
  const reason = ineligibility(market, domain);
  return ok({ domain, eligible: reason === null, reason });
}

function createCase({ market, account, body, baseUrl }: Call) {
  const input = body();
  const tier = input.oneOf('tier', ['managed', 'self_serve']);
  const buyer_email = input.email('buyer_email');
  if (tier === undefined) throw new Refusal('validation_error', '"tier" is required.');
  if (buyer_email === undefined) {
    throw new Refusal('validation_error', '"buyer_email" is required.');
  }
  const opened = openCase(
    market,
    account,
    { tier, buyer_email, budget: input.positiveNumber('budget'), domain: input.domain('domain') },
    baseUrl,
  );
  return created(caseOnWire(opened));
}

function getCase({ account, params }: Call) {
  const caseId = params.case_id ?? '';
  const found = account.cases.find(({ case_id }) => case_id === caseId);
  if (found === undefined) throw new Refusal('not_found', `There is no case ${caseId}.`);
  return ok(caseOnWire(found));
}

function listCases({ account, query }: Call) {
  return listed(
    page(query, {
      name: 'cases',
      oldestFirst: account.cases,
      order: 'newest first',
      onWire: caseOnWire,
    }),
  );
}
