/** `readErrorBody`: the code, the message and the request's id of an error, wherever services of this kind write them. */

import { defaultPlaces } from '../assumptions.js';
import { isDocumentedCode } from '../errors/api-error-class.js';
import { isRecord } from '../../core/json.js';

export interface ErrorBody {
  /** A documented code in the service's spelling of this specification; any other one as it is. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
}

/**
 * `{ code, message }`, `{ error: { code, message } }` and `{ error, message }` are read whatever their code is; a
 * documented code is found in `errors[0]`, `detail`, `type` and the like, too.
 */
export function readErrorBody(body: unknown): ErrorBody {
  if (!isRecord(body)) return {};
  const inner = isRecord(body.error) ? body.error : body;
  const holders = [inner, body, first(body.errors), body.detail, first(inner.errors)].filter(
    isRecord,
  );
  const error = text(body.error);
  // The service's codes are snake_case; gateways write "Not Found" or "Unauthorized" in this place.
  const isCode = error !== undefined && /^[a-z][a-z0-9_]*$/.test(error);
  return {
    code: documentedCode(holders) ?? ownCode(holders) ?? (isCode ? error : undefined),
    message:
      firstOf(holders, (holder) => text(holder.message)) ??
      text(body.detail) ??
      (isCode ? undefined : error),
    requestId: text(inner.request_id) ?? text(body.request_id),
  };
}

function documentedCode(holders: readonly Record<string, unknown>[]): string | undefined {
  return firstOf(defaultPlaces.errors.code, (name) =>
    firstOf(holders, (holder) => toDocumentedCode(name, holder[name])),
  );
}

/** `PRICE_MISMATCH`, `price-mismatch`, `priceMismatch` and `https://market.example/errors/price-mismatch`. */
export function toDocumentedCode(name: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 300) return undefined;
  const word = name === 'type' ? (/[^/:#.]*$/.exec(value)?.[0] ?? '') : value;
  // HTTP's own words for 403 and 409, which any gateway writes: "Forbidden", "Conflict".
  if (name !== 'code' && /^[A-Z][a-z]+$/.test(word)) return undefined;
  const code = word
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  return isDocumentedCode(code) ? code : undefined;
}

function ownCode(holders: readonly Record<string, unknown>[]): string | undefined {
  return firstOf(holders, (holder) =>
    firstOf(['code', 'error_code', 'errorCode'], (name) => text(holder[name])),
  );
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? (value as unknown[])[0] : undefined;
}

function firstOf<T, R>(items: readonly T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = read(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
