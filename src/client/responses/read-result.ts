/** Reads a call's result out of its response: a record, or the items of a list. */

import { findList, findSubstitute, unwrapRecord } from '../assumptions.js';
import type { Endpoint } from '../endpoints.js';
import type { Config } from '../options/config.js';
import type { ContextFields } from '../tracing.js';
import type { CallResponse } from '../results/call-promise.js';
import { isRecord } from '../../core/json.js';
import { findFailure } from '../sale/completeness.js';
import { findFieldProblems, type FieldProblem } from './check-fields.js';

/** A response to read, and what its call says about it. */
export interface Readable {
  readonly endpoint: Pick<Endpoint, 'name' | 'documentedFields' | 'listField'> & {
    readonly method: string;
  };
  readonly response: CallResponse;
  readonly validation: Pick<Config, 'validateResponses' | 'logger'>;
  readonly context: ContextFields | undefined;
  /** The fields that were already logged: `orders.get sale_price_cents`. */
  readonly reportedFields: Set<string>;
  /** Creates the error for a response that is not as documented. */
  readonly unexpected: (what: string) => Error;
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
  const names = readable.endpoint.documentedFields.map(([name]) => name);
  const record = unwrapRecord(readable.response.body, names);
  if (!isRecord(record)) throw readable.unexpected('JSON that is not an object');
  const substitute = findSubstitute(record, names, readable.endpoint.method);
  if (substitute !== undefined) {
    const failure = findStatedFailure(readable.response);
    throw readable.unexpected(failure ?? `JSON whose record is ${substitute}`);
  }
  checkFields(readable, [record]);
  const objection = findObjection(record) ?? findStatedFailure(readable.response);
  if (objection !== undefined) throw readable.unexpected(objection);
  return record;
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
  const items = findList(readable.response.body, readable.endpoint.listField ?? '');
  if (items === undefined) throw readable.unexpected('JSON that holds no list');
  // Items that came nevertheless are data: a failure may concern one page of a summary beside them.
  const failure = items.length === 0 ? findStatedFailure(readable.response) : undefined;
  if (failure !== undefined) throw readable.unexpected(failure);
  checkFields(readable, items);
  return items;
}

/** Logs documented fields that are missing or of the wrong type; throws for GET in mode 'error'. */
function checkFields(readable: Readable, records: readonly unknown[]): void {
  const { endpoint, validation } = readable;
  if (validation.validateResponses === 'off') return;
  for (const record of records) {
    const problems = findFieldProblems(record, endpoint.documentedFields);
    if (problems.length === 0) continue;
    if (validation.validateResponses === 'error' && endpoint.method === 'GET') {
      const fields = problems.map(({ field, message }) => `"${field}" ${message}`).join(', ');
      throw readable.unexpected(`a record that is not as documented: ${fields}`);
    }
    for (const problem of problems) logProblem(readable, problem);
  }
}

/** Once for each call and field: a service that leaves a field out does so every time. */
function logProblem(readable: Readable, { field, message }: FieldProblem): void {
  const { name } = readable.endpoint;
  const key = `${name} ${field}`;
  if (readable.reportedFields.has(key)) return;
  readable.reportedFields.add(key);
  const { status, requestId } = readable.response;
  readable.validation.logger.warn(`${name}: the response's "${field}" ${message}`, {
    ...readable.context,
    call: name,
    field,
    status,
    ...(requestId === undefined ? {} : { requestId }),
  });
}
