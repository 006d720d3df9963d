/** What a request says: the schemas of the fields that endpoints share, and the check by them. */

import * as z from 'zod/mini';
import { checkOptions, matching, optional, text } from '../../core/schema/options.js';
import type { LazySchema } from '../../core/schema/options.js';
import { isRecord } from '../../core/json.js';
import { iso8601, toMs } from '../../core/moment.js';
import { ServiceError } from '../service-error.js';
import { converted } from '../values.js';

/** The place and the length of a page. */
export const pageFields = () => ({ cursor: optional(text()), limit: optional(count()) });

/** For an endpoint without fields. */
export const nothing = () => ({});

/** A whole number of a query. */
export const count = () =>
  converted(matching(/^[1-9]\d*$/, 'must be a whole number above zero'), Number);

/** ISO dates or date-times. */
export const rangeFields = () => ({ from: optional(instant()), to: optional(instant()) });

/** Whether an instant is within `from` and `to`, both included; a date as `to` covers its whole day. */
export function dateRange(range: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): (instant: number) => boolean {
  const from = range.from === undefined ? -Infinity : Date.parse(range.from);
  const endMs = range.to?.length === 10 ? 86_399_999 : 0;
  const to = range.to === undefined ? Infinity : Date.parse(range.to) + endMs;
  if (from > to) throw new ServiceError('validation_error', '"from" must not be after "to".');
  return (instant) => instant >= from && instant <= to;
}

/** Fields that an endpoint does not know are ignored. */
export function checkInput(schema: LazySchema, values: unknown): unknown {
  return checkOptions(
    schema,
    values,
    (name, rule) => new ServiceError('validation_error', `"${name}" ${rule}.`),
  );
}

/** A field that is `null` is absent. */
export function parseBody(body: Buffer): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'), (_, value: unknown) => value ?? undefined);
  } catch {
    throw new ServiceError('validation_error', 'The body is not JSON.');
  }
  if (isRecord(parsed)) return parsed;
  throw new ServiceError('validation_error', 'The body must be a JSON object.');
}

function instant() {
  const rule = 'must be an ISO 8601 date, or a date-time with its offset';
  // Date.parse takes 30 February for 1 or 2 March.
  const exists = (it: string) =>
    !Number.isNaN(Date.parse(it)) && !Number.isNaN(toMs(it.slice(0, 10)));
  return matching(iso8601, rule).check(z.refine(exists, rule));
}
