/** Paths that cannot be tricked: a parameter stays in its segment, and what is signed is what is sent. */

import { InvalidRequestError } from '../errors/before-sending.js';
import { encodePart } from './query.js';

/**
 * Fills the `{names}` of a template. A value may not be empty, a dot segment, or hold a character
 * that any proxy on the way could read as the end of the segment.
 */
export function fillPath(template: string, params: Readonly<Record<string, string>>): string {
  let path = '';
  let at = 0;
  for (;;) {
    const open = template.indexOf('{', at);
    if (open === -1) return path + template.slice(at);
    const close = template.indexOf('}', open);
    const name = template.slice(open + 1, close);
    path += template.slice(at, open) + encodeSegment(params[name] ?? '', name);
    at = close + 1;
  }
}

function encodeSegment(value: string, name: string): string {
  if (plainSegment.test(value)) return value;
  if (value === '' || value === '.' || value === '..' || unsafeInSegment.test(value)) {
    throw new InvalidRequestError([
      {
        path: name,
        message:
          'must be a non-empty identifier without "/", "\\", "?", "#", "%" or white space, and not "." or ".."',
      },
    ]);
  }
  return encodePart(value, name);
}

/** What most identifiers are made of; no dots: a segment of dots alone is refused. */
const plainSegment = /^[A-Za-z0-9_-]+$/;

const unsafeInSegment = /[/\\?#%\s\p{Cc}]/u;

/**
 * Refuses a path that some HTTP client or proxy would send as another one: dot segments, empty
 * segments, a query, characters that must be escaped.
 */
export function checkRawPath(path: string): string {
  const problem = rawPathProblem(path);
  if (problem !== undefined) throw new InvalidRequestError([{ path: 'path', message: problem }]);
  return path;
}

function rawPathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must start with "/"';
  // Some proxies merge such slashes into one.
  if (path.includes('//')) return 'must not hold an empty segment ("//")';
  if (/[?#]/.test(path)) return 'must not hold "?" or "#"; give the query as "query"';
  if (/[^\x21-\x7e]|\\|%(?![0-9A-F]{2})/.test(path)) {
    return 'must be percent-encoded with upper-case hex as it is on the wire';
  }
  if (new URL(path, 'http://localhost').pathname !== path) {
    return 'has dot segments or characters that URLs escape, so it would not be sent as it is signed';
  }
  return undefined;
}
