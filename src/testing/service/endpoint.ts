import type { IssuedCredential, Scope } from '../credentials.js';
import type { Account } from '../market/account.js';
import type { Market } from '../market/market.js';
import type { Fields } from './fields.js';
import type { ListResult } from './pages.js';

/** A verified and permitted call of an endpoint. */
export interface Call {
  readonly market: Market;
  readonly account: Account;
  readonly credential: IssuedCredential;
  /** Values of the placeholders in the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Fields;
  /** Parses the body on first use; refuses what is not a JSON object. */
  readonly body: () => Fields;
  readonly baseUrl: string;
}

/** What an endpoint answers: a record, or a list that is yet to be put in its envelope. */
export type Result =
  | { readonly status: 200 | 201; readonly record: unknown }
  | { readonly status: 200; readonly list: ListResult };

/** One row of the tables of specification part 4. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path with its placeholders in braces, under /api/partner/v1 unless `unversioned`. */
  readonly path: string;
  readonly unversioned?: true;
  /** Any one of these will do. */
  readonly scopes: readonly Scope[];
  /** The credential must be linked to an affiliate account (4.6). */
  readonly affiliate?: true;
  /** Idempotency-Key is required (4.2). */
  readonly keyed?: true;
  readonly run: (call: Call) => Result;
}

export function ok(record: unknown): Result {
  return { status: 200, record };
}

export function created(record: unknown): Result {
  return { status: 201, record };
}

export function listed(list: ListResult): Result {
  return { status: 200, list };
}
