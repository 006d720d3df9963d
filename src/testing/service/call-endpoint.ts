/** `callEndpoint`: calls the handler of an endpoint with what a request says. */

import type { IssuedCredential } from '../credentials.js';
import type { EndpointCall, EndpointResult } from '../endpoints/endpoint.js';
import { FieldReader } from '../endpoints/fields.js';
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
  const query = firstValues(rawQuery);
  const call: EndpointCall = {
    market,
    account: market.account(credential.partnerId, credential.environment),
    credential,
    params: decodeParams(rawParams),
    query: new FieldReader(query),
    body: () => FieldReader.ofJson(body),
    baseUrl,
  };
  const result = endpoint.run(call);
  return ignoresFilters && 'list' in result ? firstPageOfAll(endpoint.run, call, query) : result;
}

function decodeParams(raw: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        throw new ServiceError('validation_error', `"${name}" is not percent-encoded UTF-8.`);
      }
    }),
  );
}

/** A list whose filters and cursor are ignored, and no cursor that leads on. */
function firstPageOfAll(
  run: (call: EndpointCall) => EndpointResult,
  call: EndpointCall,
  query: Readonly<Record<string, string>>,
): EndpointResult {
  // A search (`q`) and the size of a page filter nothing.
  const kept = Object.entries(query).filter(([name]) => name === 'limit' || name === 'q');
  const result = run({ ...call, query: new FieldReader(Object.fromEntries(kept)) });
  return 'list' in result ? { ...result, list: { ...result.list, nextCursor: null } } : result;
}

/** The first value of a repeated parameter wins. */
function firstValues(rawQuery: string): Record<string, string> {
  return Object.fromEntries(decodedPairs(rawQuery).reverse());
}
