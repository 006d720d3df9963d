/** RawRequest: what `market.request` takes. */

import * as z from 'zod/mini';
import { isPlainObject } from '../../core/json.js';
import {
  anything,
  boolean,
  lazily,
  matching,
  optional,
  strict,
  type Fields,
} from '../../core/schema/options.js';
import type { QueryInput } from '../protocol/query.js';
import { callFields, type RequestOptions } from './request-options.js';

/**
 * A call of any path, as `market.request` takes it.
 *
 * @example
 * ```ts
 * import { MarketClient, type RawRequest } from 'market-partner-sdk';
 *
 * const market = new MarketClient();
 * const request: RawRequest = {
 *   method: 'POST',
 *   path: '/links',
 *   body: { type: 'domain', domain: 'brew.example' },
 *   repeatable: true, // a second link does no harm: retry it after an unknown outcome
 * };
 * const link = await market.request<{ url: string }>(request);
 * console.log(link.url);
 * ```
 */
export interface RawRequest extends RequestOptions {
  /** HTTP method. Default: GET, or POST with a body. */
  method?: string | undefined;
  /** `/orders` for the versioned API, or the full path from `/api/`. */
  path: string;
  /** Query parameters in any form. */
  query?: QueryInput | undefined;
  /** A value that is sent as JSON; not with GET and HEAD. */
  body?: unknown;
  /**
   * Whether a repeat does no harm, so that the call may be retried after an unknown outcome.
   * Default: what the endpoint table says of the path; elsewhere true for GET, HEAD, PUT and DELETE.
   */
  repeatable?: boolean | undefined;
}

/** The options of a raw request are in the object that also holds its path and body. */
export const rawRequest = lazily(() =>
  strict({
    ...callFields(),
    method: optional(httpMethod()),
    path: matching(/^\//, 'must be a path that starts with "/", such as "/orders"'),
    query: optional(query()),
    body: optional(anything<unknown>()),
    repeatable: optional(boolean()),
  } satisfies Fields<RawRequest>),
);

function httpMethod() {
  return z.pipe(
    matching(/^[a-z]+$/i, 'must be an HTTP method such as GET or POST'),
    z.transform((method) => method.toUpperCase()),
  );
}

/** In any form; a string, pairs and URLSearchParams have no types to check. `null` leaves a parameter out. */
function query() {
  return z.pipe(
    anything<QueryInput>(),
    z.transform((given): QueryInput => {
      if (!isPlainObject(given)) return given;
      return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
    }),
  );
}
