/** The shape of an endpoint, its call and its result. */

import * as z from 'zod/mini';
import { lazily, type LazySchema } from '../../core/schema/options.js';
import type { Profile } from '../../client/profile/profile.js';
import type { Scope } from '../credentials.js';
import type { Account } from '../market/account.js';
import type { Market } from '../market/market.js';
import type { Fields, ValuesOf } from '../values.js';

/** A verified and permitted call of an endpoint. */
export interface EndpointCall<Input> {
  readonly market: Market;
  readonly account: Account;
  /** Values of the placeholders in the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The fields of the query, or of the body of a POST or PUT. */
  readonly input: Input;
  readonly baseUrl: string;
  /** How the history is read, by a profile. */
  readonly events: Profile['events'];
}

/** A list without its envelope. */
export interface ListResult {
  /** The list's noun, such as `orders`. */
  readonly name: string;
  readonly items: readonly unknown[];
  readonly nextCursor: string | null;
  /** All items, for pages that are counted. */
  readonly all: () => readonly unknown[];
  /** Fields next to the list. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** The result of an endpoint: a record, or a list without its envelope. */
export type EndpointResult =
  | { readonly status: 200 | 201; readonly record: unknown }
  | { readonly status: 200; readonly list: ListResult };

/** Who may call it, and how. */
interface Requirements {
  /** One of these is enough. */
  readonly scopes: readonly Scope[];
  /** The path is under /api/partner, and not under /api/partner/v1. */
  readonly unversioned?: true;
  /** The credential must be linked to an affiliate account (4.6). */
  readonly affiliate?: true;
  /** Idempotency-Key is required (4.2). */
  readonly requiresIdempotencyKey?: true;
}

/** One row of the tables of specification part 4. */
export interface Endpoint extends Requirements {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Path with its placeholders in braces. */
  readonly path: string;
  readonly input: LazySchema;
  readonly run: (call: EndpointCall<unknown>) => EndpointResult;
}

/** @param fields - of the query, or of the body of a POST or PUT; built when they are first needed */
export function endpoint<Shape extends Fields>(
  name: `${Endpoint['method']} ${string}`,
  requirements: Requirements,
  fields: () => Shape,
  run: (call: EndpointCall<ValuesOf<Shape>>) => EndpointResult,
): Endpoint {
  const [method, path = ''] = name.split(' ');
  const input = lazily(() => z.object(fields()));
  const row = { method: method as Endpoint['method'], path, input, ...requirements };
  return { ...row, run: run as Endpoint['run'] };
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
