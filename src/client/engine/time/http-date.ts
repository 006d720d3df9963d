/** Dates in headers: the one format that HTTP senders may write, and the Date of a response. */

/**
 * The moment at which the service sent a response, from its Date header. `undefined` for a cached
 * response (one with Age), whose Date is that of another request.
 */
export function serverDateMs(headers: Readonly<Record<string, string>>): number | undefined {
  if (headers.age !== undefined) return undefined;
  return parseHttpDate(headers.date);
}

/** `Sat, 21 Nov 2026 08:00:00 GMT` in milliseconds; `undefined` for any other form. */
export function parseHttpDate(value: string | undefined): number | undefined {
  if (value === undefined || !httpDate.test(value)) return undefined;
  const ms = Date.parse(value);
  // Date.parse accepts 31 Feb as 3 Mar; round-trip to reject impossible dates.
  return Number.isNaN(ms) || new Date(ms).toUTCString() !== value ? undefined : ms;
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
