/** headers: the schema of a caller's own headers. */

import * as z from 'zod/mini';
import { isPlainObject } from '../../core/json.js';
import { lazily, matching, must } from '../../core/schema/options.js';

/** Headers that belong to the signature, to the body or to the connection. */
const reservedHeaders = new Set([
  'x-market-key-id',
  'x-market-timestamp',
  'x-market-nonce',
  'x-market-signature',
  'idempotency-key',
  'accept-encoding',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'host',
  'connection',
  'proxy-connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

/** A copy with names in lower case. */
export const headers = lazily(() => {
  const value = matching(
    /^[\t\x20-\x7e\x80-\xff]*$/,
    'must be a string without line breaks or control characters',
  );
  return z.pipe(
    z.pipe(namesAndValues(), z.record(z.string(), value)),
    z.transform((given, { issues }) => {
      const checked: Record<string, string> = {};
      for (const [written, text] of Object.entries(given)) {
        const name = written.toLowerCase();
        const message = nameRule(name);
        if (message === undefined) checked[name] = text;
        else issues.push({ code: 'custom', input: text, path: [written], message });
      }
      return checked;
    }),
  );
});

/** Not a Headers or a Map, which shows no entries: all of its headers would be lost. */
export function namesAndValues() {
  return must<Readonly<Record<string, unknown>>>(
    'must be a plain object of names and values',
    isPlainObject,
  );
}

function nameRule(name: string): string | undefined {
  if (reservedHeaders.has(name)) {
    const instead = name === 'idempotency-key' ? '; use the option "idempotencyKey"' : '';
    return `is set by the client and cannot be replaced${instead}`;
  }
  return /^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(name) ? undefined : 'is not a header name';
}
