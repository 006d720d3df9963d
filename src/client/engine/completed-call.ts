/** CompletedCall: a call that succeeded, and how its response is read. */

import { unexpectedError } from '../errors/create-error.js';
import type { Config } from '../options/config.js';
import {
  findStatedFailure,
  readItems,
  readRecord,
  type Readable,
} from '../responses/read-result.js';
import type { CallResponse } from '../results/call-promise.js';
import type { ClientState } from './client-state.js';
import { contextOf, type PreparedCall } from './prepare.js';

export interface CompletedCall {
  readonly call: PreparedCall;
  readonly response: CallResponse;
  readonly nonces: readonly string[];
  /** Values that no error may show. */
  readonly secrets: readonly string[];
}

/** Why a record is not what the call asked for, to complete "answered 200 with ...". */
export type FindObjection = (record: unknown, completed: CompletedCall) => string | undefined;

/** The record of a call. @throws {@link UnexpectedResponseError} with the objection to it. */
export function readOne(
  completed: CompletedCall,
  config: Config,
  client: ReportedFields,
  findObjection: FindObjection | undefined,
): unknown {
  const readable = toReadable(completed, config, client);
  const record = readRecord(readable);
  const objection = findObjection?.(record, completed) ?? findStatedFailure(completed.response);
  if (objection !== undefined) throw readable.unexpected(objection);
  return record;
}

/** The items of a call that returns a list. */
export function readMany(
  completed: CompletedCall,
  config: Config,
  client: ReportedFields,
): unknown[] {
  return readItems(toReadable(completed, config, client));
}

type ReportedFields = Pick<ClientState, 'reportedFields'>;

function toReadable(
  { call, nonces, response, secrets }: CompletedCall,
  validation: Config,
  { reportedFields }: ReportedFields,
): Readable {
  return {
    endpoint: call.endpoint,
    response,
    validation,
    context: call.context,
    reportedFields,
    unexpected: (what) =>
      unexpectedError({ ...contextOf(call), nonces, secrets, outcome: 'unknown' }, response, what),
  };
}
