/** Builds and checks request paths: the path that is signed is the path that is sent. */

import { invalidRequest } from '../errors/invalid-request-error.js';
import { encodePart } from './query.js';

/** The rule of {@link isPathSegment}, for error messages. */
export const pathSegmentRule =
  'a non-empty identifier without "/", "\\", "?", "#", "%" or white space, and not "." or ".."';

const unsafeInSegment = /[/\\?#%\s\p{Cc}\p{Cs}]/u;

/**
 * Puts an identifier in the place of the template's `{name}`.
 *
 * @param id - one {@link isPathSegment}, as the schema of each parameter ensures
 */
export function fillPath(template: string, id: string): string {
  // Each call comes here: a regular expression with a callback took a fiftieth of it.
  const [start, end] = [template.indexOf('{'), template.indexOf('}')];
  const name = template.slice(start + 1, end);
  return template.slice(0, start) + encodePart(id, name) + template.slice(end + 1);
}

/**
 * Whether an identifier stays one segment of a path. Escaping "/" or "%" is not enough: gateways
 * unescape them.
 */
export function isPathSegment(value: string): boolean {
  return value !== '' && value !== '.' && value !== '..' && !unsafeInSegment.test(value);
}

/**
 * Returns the path, or throws if an HTTP client or proxy would send another one: dot segments,
 * empty segments, a query, characters that must be escaped.
 */
export function checkRawPath(path: string): string {
  const violation = rawPathViolation(path);
  if (violation !== undefined) throw invalidRequest('path', violation);
  return path;
}

function rawPathViolation(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must start with "/"';
  // Some proxies merge two slashes into one.
  if (path.includes('//')) return 'must not hold an empty segment ("//")';
  if (/[?#]/.test(path)) return 'must not hold "?" or "#"; pass the query as "query"';
  if (/[^\x21-\x7e]|\\|%(?![0-9A-F]{2})/.test(path)) {
    return 'must be percent-encoded with upper-case hex as it is on the wire';
  }
  if (new URL(path, 'http://localhost').pathname !== path) {
    return 'has dot segments or characters that URLs escape, so it would not be sent as it is signed';
  }
  return undefined;
}
