/** Specification, 4.5, and the list of cases of 4.4. */

import { serializeCase, ineligibility, openCase } from '../market/brokerage.js';
import { created, listed, ok, type EndpointCall, type Endpoint } from './endpoint.js';
import { page } from './pages.js';
import { ServiceError } from '../service-error.js';

export const brokerageEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/brokerage/eligibility', scopes: ['broker'], run: checkEligibility },
  { method: 'POST', path: '/brokerage', scopes: ['broker'], run: createCase },
  { method: 'GET', path: '/brokerage/{case_id}', scopes: ['broker'], run: getCase },
  { method: 'GET', path: '/brokerage', scopes: ['report'], run: listCases },
];

function checkEligibility({ market, account, query }: EndpointCall) {
  const domain = query.requiredDomain('domain');
  const reason = ineligibility(market, account.environment, domain);
  return ok({ domain, eligible: reason === null, reason });
}

function createCase({ market, account, body, baseUrl }: EndpointCall) {
  const input = body();
  const tier = input.required('tier', input.oneOf('tier', ['managed', 'self_serve']));
  const buyer_email = input.required('buyer_email', input.email('buyer_email'));
  const opened = openCase(
    market,
    account,
    { tier, buyer_email, budget: input.positiveNumber('budget'), domain: input.domain('domain') },
    baseUrl,
  );
  return created(serializeCase(opened));
}

function getCase({ account, params }: EndpointCall) {
  const caseId = params.case_id ?? '';
  const found = account.cases.find(({ case_id }) => case_id === caseId);
  if (found === undefined) throw new ServiceError('not_found', `There is no case ${caseId}.`);
  return ok(serializeCase(found));
}

function listCases({ account, query }: EndpointCall) {
  return listed(
    page(query, {
      name: 'cases',
      oldestFirst: account.cases,
      order: 'newest first',
      serialize: serializeCase,
    }),
  );
}
