/** Schemas of date ranges and pages, which reports and lists share. */

import type { DateRange, PageRequest } from '../../model/ranges.js';
import { recordSchema } from '../record-schema.js';
import { optional } from '../lazy-schema.js';
import { instant, rangeViolation } from '../values/dates.js';
import { pageLimit } from '../values/numbers.js';
import { text } from '../values/text.js';

const dates = { from: optional(instant), to: optional(instant) };
const page = { cursor: optional(text), limit: optional(pageLimit) };

/** A span of dates, either end open. */
export const dateRange = recordSchema<DateRange>(dates, rangeViolation);

/** A span of dates with at least one end: the funnel of all time is not on offer (part 4.6). */
export const analyticsRange = recordSchema<DateRange>(dates, (range) =>
  range.from === undefined && range.to === undefined
    ? { message: 'must have dates: pass "from", "to" or both' }
    : rangeViolation(range),
);

/** The place and the length of a page. */
export const pageRequest = recordSchema<PageRequest>(page);

/** A span of dates and a page of it. */
export const pagedDateRange = recordSchema<DateRange & PageRequest>(
  { ...dates, ...page },
  rangeViolation,
);
