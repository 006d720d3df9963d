/** The shape of an endpoint, its call and its result. */

import type { IssuedCredential, Scope } from '../credentials.js';
import type { Account } from '../market/account.js';
import type { Market } from '../market/market.js';
import type { FieldReader } from './fields.js';
import type { ListResult } from '../envelopes.js';

/** A verified and permitted call of an endpoint. */
export interface EndpointCall {
  readonly market: Market;
  readonly account: Account;
  readonly credential: IssuedCredential;
  /** Values of the placeholders in the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: FieldReader;
  /** Parses the body on first use; throws for anything but a JSON object. */
  readonly body: () => FieldReader;
  readonly baseUrl: string;
}

/** The result of an endpoint: a record, or a list without its envelope. */
export type EndpointResult =
  | { readonly status: 200 | 201; readonly record: unknown }
  | { readonly status: 200; readonly list: ListResult };

/** One row of the tables of specification part 4. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path with its placeholders in braces, under /api/partner/v1 unless `unversioned`. */
  readonly path: string;
  readonly unversioned?: true;
  /** One of these is enough. */
  readonly scopes: readonly Scope[];
  /** The credential must be linked to an affiliate account (4.6). */
  readonly affiliate?: true;
  /** Idempotency-Key is required (4.2). */
  readonly requiresIdempotencyKey?: true;
  readonly run: (call: EndpointCall) => EndpointResult;
}

export function ok(record: unknown): EndpointResult {
  return { status: 200, record };
}

export function created(record: unknown): EndpointResult {
  return { status: 201, record };
}

export function listed(list: ListResult): EndpointResult {
  return { status: 200, list };
}
