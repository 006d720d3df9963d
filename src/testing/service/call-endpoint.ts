/** `callEndpoint`: calls the handler of an endpoint with what a request says. */

import { percentDecoded } from '../../core/parse-url.js';
import type { IssuedCredential } from '../credentials.js';
import type { EndpointResult } from '../endpoints/endpoint.js';
import { checkInput, parseBody } from '../endpoints/input.js';
import type { Match } from '../endpoints/table.js';
import type { RawRequest } from '../http/messages.js';
import type { Market } from '../market/market.js';
import { ServiceError } from '../service-error.js';
import { decodedPairs } from '../verification/canonical.js';

interface CallContext extends Pick<RawRequest, 'rawQuery' | 'body'> {
  readonly market: Market;
  readonly credential: IssuedCredential;
  readonly baseUrl: string;
}

/** @throws {@link ServiceError} for a request that breaks a rule */
export function callEndpoint(
  { endpoint, rawParams }: Match,
  { market, credential, rawQuery, body, baseUrl }: CallContext,
  ignoresFilters: boolean,
): EndpointResult {
  const given = endpoint.method === 'GET' ? firstValues(rawQuery) : parseBody(body);
  const account = market.account(credential.partnerId, credential.environment);
  const call = { market, account, params: decodeParams(rawParams), baseUrl };
  const run = (values: unknown) =>
    endpoint.run({ ...call, input: checkInput(endpoint.input, values) });
  const result = run(given);
  if (!ignoresFilters || !('list' in result)) return result;
  // The first page of all, and no cursor that leads on. A search (`q`) and the size of a page filter nothing.
  const { q, limit } = given as Readonly<Record<string, string>>;
  const all = run({ q, limit });
  return 'list' in all ? { ...all, list: { ...all.list, nextCursor: null } } : all;
}

function decodeParams(raw: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => {
      const decoded = percentDecoded(value);
      if (decoded !== undefined) return [name, decoded];
      throw new ServiceError('validation_error', `"${name}" is not percent-encoded UTF-8.`);
    }),
  );
}

/** The first value of a repeated parameter wins. */
function firstValues(rawQuery: string): Record<string, string> {
  return Object.fromEntries(decodedPairs(rawQuery).reverse());
}
