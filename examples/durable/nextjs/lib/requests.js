// What the routes let in: a bounded body, your payment provider's signature, and your own programs' token.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

const maxBytes = 1_000_000;

/** The bytes as they came, which the signature is of; `undefined` for a body that is too large. */
export async function readBytes(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** `undefined` for bytes that are no JSON object. */
export function readJson(bytes) {
  try {
    return Object(JSON.parse(bytes.toString()));
  } catch {
    return undefined;
  }
}

/** Replace it by what your payment provider's documentation says. */
export function isSigned(request, bytes) {
  const secret = secretOf('PAYMENT_SECRET');
  if (secret === undefined) return false;
  const expected = createHmac('sha256', secret).update(bytes).digest();
  const given = Buffer.from(request.headers.get('payment-signature') ?? '', 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Whether the request has the token that the variable holds. */
export function hasToken(request, variable) {
  const token = secretOf(variable);
  if (token === undefined) return false;
  const hash = (text) => createHash('sha256').update(text).digest();
  const given = request.headers.get('authorization') ?? '';
  return timingSafeEqual(hash(given), hash(`Bearer ${token}`));
}

export const isId = (value) => typeof value === 'string' && /^[!-~]{1,200}$/.test(value);

/** Without one nobody is let in. An empty one would let in everybody who knows that. */
function secretOf(variable) {
  const secret = process.env[variable];
  if (!secret) console.error(`Set ${variable}. Until then the routes that need it answer 401.`);
  return secret || undefined;
}
