/** `callEndpoint`: calls the handler of an endpoint with what a request says. */

import { percentDecoded } from '../../core/parse-url.js';
import type { IssuedCredential } from '../credentials.js';
import type { EndpointResult, ListResult } from '../endpoints/endpoint.js';
import { checkInput, parseBody } from '../endpoints/input.js';
import type { Match } from '../endpoints/table.js';
import type { RawRequest } from '../http/messages.js';
import type { Market } from '../market/market.js';
import { ServiceError } from '../service-error.js';
import { decodedPairs } from '../verification/canonical.js';
import type { ServiceForm } from './service-form.js';

interface CallContext extends Pick<RawRequest, 'rawQuery' | 'body'> {
  readonly market: Market;
  readonly credential: IssuedCredential;
  readonly baseUrl: string;
  /** How the service reads, if a profile says so. */
  readonly form: ServiceForm | undefined;
}

/** A record, or the body of a list in the default form. */
type CallResult =
  | Extract<EndpointResult, { readonly record: unknown }>
  | { readonly status: 200; readonly body: unknown };

/** @throws {@link ServiceError} for a request that breaks a rule */
export function callEndpoint(
  { endpoint, rawParams }: Match,
  { market, credential, rawQuery, body, baseUrl, form }: CallContext,
  ignoresFilters: boolean,
): CallResult {
  const raw = (endpoint.method === 'GET' ? firstValues(rawQuery) : parseBody(body)) as Readonly<
    Record<string, unknown>
  >;
  const account = market.account(credential.partnerId, credential.environment);
  const call = { market, account, params: decodeParams(rawParams), baseUrl, events: form?.events };
  const given = form?.read(endpoint, raw) ?? raw;
  const run = (values: Readonly<Record<string, unknown>>) => {
    // A page that is counted has its place in the form alone.
    const own = form?.isCounted === true ? { ...values, cursor: undefined } : values;
    return endpoint.run({ ...call, input: checkInput(endpoint.input, own) });
  };
  const bodyOf = (list: ListResult) =>
    form?.listBody(list, given) ?? {
      data: list.items,
      next_cursor: list.nextCursor,
      ...list.extra,
    };
  const result = run(given);
  if ('record' in result) return result;
  if (!ignoresFilters) return { status: 200, body: bodyOf(result.list) };
  // The first page of all, and no cursor that leads on. A search (`q`) and the size of a page filter nothing.
  const { q, limit } = given;
  const all = run({ q, limit });
  if ('record' in all) return all;
  return { status: 200, body: bodyOf({ ...all.list, nextCursor: null }) };
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
