/** subjectOf: what distinguishes a request from others of its endpoint: a domain, an order, words. */

import type { RequestView } from './wire.js';

/** The field of a body that says most; the first one that is there. */
const mainFields = ['domain', 'public_id', 'case_id', 'session_id', 'url', 'landing_url', 'name'];

/** Parameters whose value says enough without the name. */
const plainParameters = ['domain', 'q'];

/** Made once for each request: a list is drawn ten times a second. */
const subjects = new WeakMap<RequestView, string>();

export function subjectOf(request: RequestView): string {
  let subject = subjects.get(request);
  if (subject === undefined) {
    const parts = [...pathValues(request), ...queryValues(request), ...bodyValues(request)];
    subject = parts.join(' ');
    subjects.set(request, subject);
  }
  return subject;
}

/** The values of the placeholders of `GET /orders/{public_id}`. */
function pathValues({ endpoint, path }: RequestView): string[] {
  const names = (endpoint ?? '').split('/').reverse();
  const values = path.split('/').reverse();
  return names.flatMap((name, at) => (name.startsWith('{') ? [values[at] ?? ''] : [])).reverse();
}

function queryValues({ query }: RequestView): string[] {
  return [...new URLSearchParams(query)].map(([name, value]) =>
    plainParameters.includes(name) ? value : `${name}=${value}`,
  );
}

function bodyValues({ body }: RequestView): string[] {
  try {
    const fields = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const value = mainFields.map((name) => fields[name]).find((each) => typeof each === 'string');
    return typeof value === 'string' ? [value] : [];
  } catch {
    return []; // no body, or none of JSON
  }
}
