/** Checks of the dates and pages that reports and lists share. */

import type { DateRange, PageRequest } from '../../model/ranges.js';
import { documented } from '../documented.js';
import { optional } from '../rule.js';
import { moment, spanFault } from '../values/dates.js';
import { pageLimit } from '../values/numbers.js';
import { text } from '../values/text.js';

const dates = { from: optional(moment), to: optional(moment) };
const page = { cursor: optional(text), limit: optional(pageLimit) };

/** A span of dates, either end open. */
export const dateRange = documented<DateRange>(dates, spanFault);

/** A span of dates with at least one end: the funnel of all time is not on offer (part 4.6). */
export const analyticsRange = documented<DateRange>(dates, (range) =>
  range.from === undefined && range.to === undefined
    ? { message: 'names no dates: give "from", "to" or both' }
    : spanFault(range),
);

/** The place and the length of a page. */
export const pageRequest = documented<PageRequest>(page);

/** A span of dates and a page of it. */
export const pagedDateRange = documented<DateRange & PageRequest>({ ...dates, ...page }, spanFault);
