/** Checks of what a caller hands to a queue. */

import type { Job } from './job.js';

const longestId = 1_000;

/** What every engine says of a `tx` that was not begun. */
export const noOpenTransaction =
  '"tx" has no open transaction, so that a rollback would not undo this. Begin one before, or pass "write" instead.';

/** Refuses text that PostgreSQL would refuse or change. @throws {@link TypeError} */
export function checkJobs(jobs: readonly Job[]): void {
  for (const { id, orderingKey, body, createdAt } of jobs) {
    checkText('id', id);
    checkText('orderingKey', orderingKey);
    checkText('body', body, Infinity);
    checkText('createdAt', createdAt);
  }
}

/** Half of a surrogate pair: no UTF-8 exists for it. */
const loneSurrogate = /\p{Surrogate}/u;

/** The rule that a text of a job breaks; `undefined` if it breaks none. */
export function textRule(value: unknown, longest = longestId): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value === '' || value.length > longest) return `must have 1 to ${longest} characters`;
  const isStorable = !value.includes('\0') && !loneSurrogate.test(value);
  return isStorable ? undefined : 'must be well-formed Unicode without NUL';
}

function checkText(field: string, value: unknown, longest?: number): void {
  const rule = textRule(value, longest);
  if (rule !== undefined) throw new TypeError(`A job's "${field}" ${rule}.`);
}
