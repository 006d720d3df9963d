/** Reads a call's result out of its response: a record, or the items of a list. */

import type { Endpoint } from '../endpoints.js';
import type { RecordName } from '../record-fields.js';
import type { Config } from '../options/config.js';
import type { ContextFields } from '../tracing.js';
import type { CallResponse } from '../results/call-promise.js';
import { isRecord } from '../../core/json.js';
import { findFailure } from '../envelope/completeness.js';
import { findList } from '../envelope/find-list.js';
import { memberNames } from '../../core/errors/member-names.js';
import { findSubstitute, unwrapRecord } from '../envelope/unwrap-record.js';
import { hasKnownField } from '../record-fields.js';
import { exactItems, exactRecord } from '../profile/exact.js';
import type { Profile } from '../profile/profile.js';
import { rememberReceived } from '../profile/received.js';
import { ProfileContradiction, toOurs } from '../profile/to-ours.js';
import { findFieldProblems, findOtherKinds } from './check-fields.js';
import { reportOnce } from './report-once.js';

/** A response to read, and what its call says about it. */
export interface Readable {
  readonly endpoint: Pick<
    Endpoint,
    'name' | 'documentedFields' | 'listField' | 'identifiedBy' | 'receivedWhenEmpty'
  > & { readonly method: string; readonly record?: RecordName | undefined };
  readonly response: CallResponse;
  /** What the call sent as its body. */
  readonly input: unknown;
  readonly profile: Profile | undefined;
  /** When the response came, in Unix milliseconds. */
  readonly nowMs: number;
  readonly validation: Pick<Config, 'validateResponses' | 'logger'>;
  readonly context: ContextFields | undefined;
  /** What was already logged: `orders.get sale_price_cents`. */
  readonly reportedFields: Set<string>;
  /**
   * Creates the error for a response that is not as documented.
   *
   * @param assumption - the row of docs/assumptions.md that does not hold
   */
  readonly unexpected: (what: string, assumption: string) => Error;
}

/**
 * The record of a response, out of its envelope.
 *
 * @param findObjection - why it is not the record that was asked for
 */
export function readRecord(
  readable: Readable,
  findObjection: (record: unknown) => string | undefined,
): unknown {
  const { endpoint, response, unexpected } = readable;
  const { record: name = 'order' } = endpoint;
  if (response.body === undefined) return receivedRecord(readable);
  const record = inOurForm(readable, () => recordIn(readable, name));
  if (!isRecord(record)) throw unexpected('JSON that is not an object', 'a wrapped record');
  const substitute = findSubstitute(record, name, endpoint.method);
  if (substitute !== undefined) {
    const failure = findStatedFailure(response);
    if (failure !== undefined) throw unexpected(failure, 'a record that states a failure');
    throw unexpected(`JSON whose record is ${substitute}`, 'a wrapped record');
  }
  const failure = findStatedFailure(response);
  if (failure === undefined) checkRecords(readable, [record]);
  const objection = findObjection(record) ?? findMissingId(readable, record);
  if (objection !== undefined) throw unexpected(objection, 'a wrapped record');
  if (failure !== undefined) throw unexpected(failure, 'a record that states a failure');
  return record;
}

/** A write that was received without a word: all that is known of its record is what was sent. */
function receivedRecord({ endpoint, input }: Readable): unknown {
  const { identifiedBy } = endpoint;
  return identifiedBy === undefined || !isRecord(input)
    ? {}
    : { [identifiedBy]: input[identifiedBy] };
}

/**
 * A 2xx may say in its body that nothing was done, or found. What names the order or the domain in the
 * response to a refund or a case is not compared: its fields are not shown, and an id may be the refund's own.
 */
function findStatedFailure(response: CallResponse): string | undefined {
  const failure = findFailure(response.body);
  return failure === undefined ? undefined : `a body that says ${failure}`;
}

export function readItems(readable: Readable): unknown[] {
  const { endpoint, response, unexpected } = readable;
  const items = inOurForm(readable, () => itemsIn(readable));
  // Items that came nevertheless are data: a failure may concern one page of a summary beside them. A 404 says "none".
  const isNone = items === undefined || items.length === 0;
  const failure = isNone && response.status !== 404 ? findStatedFailure(response) : undefined;
  if (failure !== undefined) throw unexpected(failure, 'a record that states a failure');
  if (items === undefined) throw unexpected('JSON that holds no list', 'the envelope of a list');
  if (readable.profile !== undefined) rememberReceived(response, readable.profile, items);
  const ours = inOurForm(readable, () => translate(readable, items));
  const records = endpoint.record === 'event' ? inOrder(readable, ours.map(withTextId)) : ours;
  checkRecords(readable, records);
  return records;
}

function recordIn({ response, profile, nowMs }: Readable, name: RecordName): unknown {
  const { body } = response;
  if (profile === undefined) return unwrapRecord(body, name);
  const record = exactRecord(profile, name, body) ?? unwrapRecord(body, name);
  return isRecord(record) ? toOurs(profile, name, record, { body, nowMs }) : record;
}

function itemsIn({ endpoint, response, profile }: Readable): unknown[] | undefined {
  const { listField = '' } = endpoint;
  const { body, status } = response;
  if (profile === undefined) return findList(body, listField);
  if (body === undefined || status === 404) return []; // a form of "none", by the profile
  return exactItems(profile, listField, body, findList);
}

function translate({ endpoint, response, profile, nowMs }: Readable, items: unknown[]): unknown[] {
  const { record: name } = endpoint;
  if (profile === undefined || name === undefined) return items;
  const { body } = response;
  return items.map((item) =>
    isRecord(item) ? toOurs(profile, name, item, { body, nowMs }) : item,
  );
}

/** What `read` returns. A response that contradicts the profile is an error that names the key. */
export function inOurForm<T>({ unexpected }: Readable, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProfileContradiction)) throw error;
    throw unexpected(`JSON that ${error.what}`, 'If the service differs');
  }
}

/** Under a profile's names, the field that identifies a write's response is known once it is translated. */
function findMissingId({ endpoint, profile }: Readable, record: unknown): string | undefined {
  const { identifiedBy, method } = endpoint;
  if (profile === undefined || identifiedBy === undefined || method === 'GET') return undefined;
  return isRecord(record) && (record[identifiedBy] ?? undefined) !== undefined
    ? undefined
    : `JSON that has no "${identifiedBy}"`;
}

/** An event of a delivery in the form of the history's; throws an error that names the key of the profile that does not hold. */
export function readDelivered(
  profile: Profile | undefined,
  delivered: unknown,
  nowMs: number,
): unknown {
  if (profile === undefined || !isRecord(delivered)) return withTextId(delivered);
  try {
    return withTextId(toOurs(profile, 'event', delivered, { body: delivered, nowMs }));
  } catch (error) {
    if (!(error instanceof ProfileContradiction)) throw error;
    throw new Error(`it ${error.what}`, { cause: error });
  }
}

/** An id is kept and compared as text: one that is a whole number is as good. */
function withTextId(event: unknown): unknown {
  return isRecord(event) && Number.isSafeInteger(event.id)
    ? { ...event, id: String(event.id) }
    : event;
}

/** Oldest first within a page. Where pages lead to older ones, their reader turns them round. */
function inOrder({ profile }: Readable, events: unknown[]): unknown[] {
  const { order, after } = profile?.events ?? {};
  return order === 'newest' && after !== 'older' ? events.reverse() : events;
}

/** Logs what is not as documented or assumed; in mode 'error', a read throws for what can be no such record. */
function checkRecords(readable: Readable, records: readonly unknown[]): void {
  const { endpoint, validation } = readable;
  if (validation.validateResponses === 'off') return;
  const throws = validation.validateResponses === 'error' && endpoint.method === 'GET';
  for (const record of records) {
    checkShape(readable, record, throws);
    const problems = findFieldProblems(record, endpoint.documentedFields);
    if (problems.length > 0 && throws) {
      const fields = problems.map(({ field, message }) => `"${field}" ${message}`).join(', ');
      const what = `a record that is not as documented: ${fields}`;
      throw readable.unexpected(what, 'names of fields');
    }
    for (const { field, message } of problems) {
      reportOnce(readable, field, `the response's "${field}" ${message}`, { field });
    }
  }
}

/** A record with other names for all of its fields, or an assumed field of another type. */
function checkShape(readable: Readable, record: unknown, throws: boolean): void {
  const { record: name, documentedFields, receivedWhenEmpty } = readable.endpoint;
  if (name === undefined || !isRecord(record)) return;
  if (hasKnownField(record, name)) {
    for (const { field, message } of findOtherKinds(record, name, documentedFields)) {
      const line = `the response's "${field}" ${message} (docs/assumptions.md)`;
      reportOnce(readable, field, line, { field }, true);
    }
    return;
  }
  // The response to a refund may be a mere message.
  if (receivedWhenEmpty === true) return;
  const members = memberNames(record);
  if (throws) {
    const what = 'a record that has none of the fields that this version knows';
    throw readable.unexpected(what, 'names of fields');
  }
  const line = `the record has none of the fields that this version knows: it has ${members} (docs/assumptions.md)`;
  reportOnce(readable, `has ${members}`, line, {}, true);
}
