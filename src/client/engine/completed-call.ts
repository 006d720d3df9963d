/** CompletedCall: a call that succeeded, and how its response is read. */

import { unexpectedError } from '../errors/create-error.js';
import type { Config } from '../options/config.js';
import type { Readable } from '../responses/read-result.js';
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

/** The response of a call, and what is needed to read its data. */
export function toReadable(
  { call, nonces, response, secrets }: CompletedCall,
  validation: Config,
  { reportedFields }: ClientState,
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
