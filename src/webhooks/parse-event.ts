/** parseEvent: parses a verified body and checks the event's envelope. */

import { isRecord } from '../core/json.js';
import type { MarketEvent } from './events.js';
import type { RawBytesOrText } from './raw-body.js';
import { WebhookVerificationError } from './verification-error.js';

/** Brings what was delivered into the form of {@link MarketEvent}. What it throws completes "is not an event: ...". */
export type ReadEvent = (delivered: unknown) => unknown;

/**
 * Returns the parsed JSON after checking the types of the envelope's fields (specification, part 2,
 * Event). The payload is not checked: a new kind of payload must not stop deliveries.
 */
export function parseEvent(body: RawBytesOrText, read: ReadEvent = (event) => event): MarketEvent {
  const delivered = parseJson(body);
  let event: unknown;
  try {
    event = read(delivered);
  } catch (error) {
    throw noEvent((error as Error).message, error);
  }
  const violation = envelopeViolation(event);
  if (violation !== undefined) throw noEvent(violation);
  return event as MarketEvent;
}

function noEvent(violation: string, cause?: unknown): WebhookVerificationError {
  const message = `The signature is right, but the body is not an event: ${violation}. Does another sender share this secret?`;
  return new WebhookVerificationError('invalid_event', message, { cause });
}

function parseJson(body: RawBytesOrText): unknown {
  try {
    const text = typeof body === 'string' ? body : decode(body);
    // JSON.parse rejects the byte order mark, which was signed with the body.
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch (cause) {
    if (cause instanceof WebhookVerificationError) throw cause;
    throw invalidJsonError('the body is not JSON', cause);
  }
}

/** Buffer decodes bodies of this size twice as fast as TextDecoder. */
function decode(body: Uint8Array<ArrayBuffer>): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  // U+FFFD was either sent as it is, or replaces bytes that are not valid UTF-8.
  if (text.includes('\uFFFD') && !Buffer.from(text, 'utf8').equals(body)) {
    throw invalidJsonError('the body is not valid UTF-8, which JSON must be');
  }
  return text;
}

function invalidJsonError(what: string, cause?: unknown): WebhookVerificationError {
  return new WebhookVerificationError(
    'invalid_json',
    `The signature is right, but ${what}. Does another sender share this secret?`,
    { cause },
  );
}

function envelopeViolation(event: unknown): string | undefined {
  if (!isRecord(event)) return 'it is not a JSON object';
  for (const field of ['id', 'type', 'created_at']) {
    const value = event[field];
    if (typeof value !== 'string' || value === '') return `"${field}" is not a non-empty string`;
  }
  if (!isRecord(event.data)) return '"data" is not an object';
  return undefined;
}
