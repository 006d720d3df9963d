/** Specification, 4.5, and the list of cases of 4.4. */

import { ineligibility, openCase, serializeCase } from '../market/brokerage.js';
import { caseFields } from '../market/input.js';
import type { StoredCase } from '../market/records.js';
import { ServiceError } from '../service-error.js';
import { domain } from '../values.js';
import { created, endpoint, listed, ok, type Endpoint } from './endpoint.js';
import { nothing, pageFields } from './input.js';
import { page } from './pages.js';

export const brokerageEndpoints: readonly Endpoint[] = [
  endpoint(
    'GET /brokerage/eligibility',
    { scopes: ['broker'] },
    () => ({ domain: domain() }),
    ({ market, account, input: { domain } }) => {
      const reason = ineligibility(market, account.environment, domain);
      return ok({ domain, eligible: reason === null, reason });
    },
  ),
  endpoint(
    'POST /brokerage',
    { scopes: ['broker'] },
    caseFields,
    ({ market, account, input, baseUrl }) =>
      created(serializeCase(openCase(market, account, input), baseUrl)),
  ),
  endpoint(
    'GET /brokerage/{case_id}',
    { scopes: ['broker'] },
    nothing,
    ({ account, params: { case_id: caseId = '' }, baseUrl }) => {
      const found = account.cases.find(({ case_id }) => case_id === caseId);
      if (found === undefined) throw new ServiceError('not_found', `There is no case ${caseId}.`);
      return ok(serializeCase(found, baseUrl));
    },
  ),
  endpoint('GET /brokerage', { scopes: ['report'] }, pageFields, ({ account, input, baseUrl }) => {
    const serialize = (each: StoredCase) => serializeCase(each, baseUrl);
    return listed(page(input, { name: 'cases', oldestFirst: account.cases, serialize }));
  }),
];
