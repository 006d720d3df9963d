/** Every place where a caller passes something, read from the table of calls and the schemas of the input. */

import type { MarketClient } from 'market-partner-sdk';
import { endpoints, type Endpoint } from '../../../src/client/endpoints.js';
import { orderInput } from '../../../src/client/input/index.js';
import { callMethod, everyCall, type CallRow } from '../../specification.js';

export interface InputPlace {
  readonly place: string;
  /** Where the call may go, below /api/partner/v1 and without the query. */
  readonly target: RegExp;
  readonly invoke: (market: MarketClient, value: unknown) => PromiseLike<unknown>;
}

const given = { publicId: 'ord_1', caseId: 'case_1' };
const rowOfEndpoint = new Map(
  Object.values(endpoints)
    .flatMap((group): Endpoint[] => Object.values(group))
    .map((endpoint) => [endpoint.name, endpoint]),
);

export const inputPlaces: readonly InputPlace[] = everyCall.flatMap((row) => [
  ...placesOf(row),
  ...(row.name === 'orders.create' ? placesOfBuyer(row) : []),
]);

/** The first argument of a call, and each field of one that is a record. */
function placesOf(row: CallRow): InputPlace[] {
  const [valid] = row.args(given);
  const whole = placeOf(row, row.name, (value) => value);
  if (typeof valid === 'string') return [whole];
  const { body, query } = rowOfEndpoint.get(row.name)!;
  const fields = fieldsOf((body ?? query)!.schema());
  return [
    whole,
    ...[...fields, 'any_other_field'].map((field) =>
      placeOf(row, `${row.name}.${field}`, (value) => ({ ...(valid ?? {}), [field]: value })),
    ),
  ];
}

/** The documented fields of a record, or of one in it: the schemas name them all. */
function fieldsOf(schema: unknown, within?: string): string[] {
  const { def } = (schema as { _zod: { def: { out: { _zod: { def: unknown } } } } })._zod;
  const { shape } = def.out._zod.def as {
    shape: Record<string, { _zod: { def: { innerType: unknown } } }>;
  };
  return within === undefined ? Object.keys(shape) : fieldsOf(shape[within]!._zod.def.innerType);
}

/** The one record within a record. */
function placesOfBuyer(row: CallRow): InputPlace[] {
  const [order] = row.args(given) as [object];
  return [...fieldsOf(orderInput(), 'buyer'), 'any_other_field'].map((field) =>
    placeOf(row, `${row.name} buyer.${field}`, (value) => ({
      ...order,
      buyer: { [field]: value },
    })),
  );
}

function placeOf(row: CallRow, place: string, input: (value: unknown) => unknown): InputPlace {
  return {
    place,
    target: targetOf(row),
    invoke: (market, value) => callMethod(market, row.name, [input(value)]),
  };
}

/** The path of an endpoint, with any value for its parameter but the literal path of another one. */
function targetOf({ path }: CallRow): RegExp {
  const prefix = path.replace(/\{\w+\}$/, '');
  const others = everyCall
    .filter((other) => other.path !== path && other.path.startsWith(prefix))
    .map((other) => other.path.slice(prefix.length));
  const segment = `(?!(?:${others.join('|')})$)[^/?#]+`;
  const below = path.startsWith('/v1/') ? path.slice('/v1'.length) : `/api/partner${path}`;
  return new RegExp(`^${below.replace(/\{\w+\}$/, segment)}$`);
}

export const requestOptions = ['timeoutMs', 'deadlineMs', 'maxRetries', 'idempotencyKey'] as const;

export const clientOptions = [
  ...['baseUrl', 'keyId', 'secret', 'timeoutMs', 'deadlineMs', 'maxRetries'],
  ...['validateResponses', 'fetch', 'clock', 'random', 'sleep', 'forbidLive'],
] as const;
