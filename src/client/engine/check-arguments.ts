/** Checks a call's arguments against the schemas of its endpoint. */

import { invalidRequest } from '../errors/invalid-request-error.js';
import type { Argument, Endpoint } from '../endpoints.js';
import { findLiteralEndpoint } from '../find-endpoint.js';
import { checkInput, queryPairs } from '../input/index.js';
import { isRecord } from '../../core/json.js';
import type { LazySchema, Schema } from '../../core/schema/must.js';
import { fillPath } from '../protocol/path.js';
import { canonicalQuery, type QueryInput } from '../protocol/query.js';

/** An endpoint of the table, or what a raw request says of another path. */
export interface ResolvedEndpoint extends Omit<Endpoint, 'method' | 'query' | 'body' | 'record'> {
  readonly method: string;
  /** Absent for a raw request of a path that the table does not have. */
  readonly record?: Endpoint['record'];
  readonly query?: Argument<LazySchema<Schema<object>>>;
  readonly body?: Argument<LazySchema<Schema<object>>>;
  /** Whether a success may have no body, or JSON of any kind; every documented call returns records. */
  readonly allowsAnyBody?: true;
}

/** A call's arguments as the caller passed them. */
export interface CallArguments {
  readonly param?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** The path without the base URL's prefix. A raw call's path is filled in: it has no parameter. */
export function checkedPath({ method, path, param }: ResolvedEndpoint, value: unknown): string {
  if (param === undefined) return path;
  const filled = fillPath(path, checkArgument(param, value));
  const other = findLiteralEndpoint(method, filled);
  if (other === undefined) return filled;
  throw invalidRequest(
    param.name,
    `must be an identifier, and this value is the path of ${other.name}`,
  );
}

/** The canonical query. A raw call of an unknown path has no schema and is sent as it is. */
export function checkedQuery(endpoint: ResolvedEndpoint, query: unknown): string {
  if (query === undefined) return '';
  if (endpoint.query === undefined) return canonicalQuery(query as QueryInput);
  const filters = checkArgument(endpoint.query, query);
  return canonicalQuery(queryPairs(filters));
}

export function checkedBody(endpoint: ResolvedEndpoint, body: unknown): unknown {
  return endpoint.body === undefined ? body : checkArgument(endpoint.body, body);
}

function checkArgument<T>({ name, schema }: Argument<LazySchema<Schema<T>>>, value: unknown): T {
  return checkInput(schema, value, name);
}

/**
 * The credential's secret and those of the body. The first is never sent (specification, part 2): not
 * as a webhook's secret either.
 */
export function secretsOf(
  secret: string | undefined,
  { secretFields = [] }: ResolvedEndpoint,
  body: unknown,
): readonly string[] {
  const secrets = secret === undefined ? [] : [secret];
  for (const field of secretFields) {
    const value = isRecord(body) ? body[field] : undefined;
    if (typeof value !== 'string') continue;
    if (secret !== undefined) assertNotSent(field, value, secret);
    secrets.push(value);
  }
  return secrets;
}

/** @throws {@link InvalidRequestError} when the value holds the credential's secret. */
export function assertNotSent(field: string, value: string, secret: string): void {
  if (!value.includes(secret)) return;
  throw invalidRequest(field, "must not be the credential's secret, which is never sent");
}
