/** CompletedCall: a call that succeeded. */

import type { CallResponse } from '../results/call-promise.js';
import type { PreparedCall } from './prepare.js';

export interface CompletedCall {
  readonly call: PreparedCall;
  readonly response: CallResponse;
  readonly nonces: readonly string[];
  /** Values that no error may show. */
  readonly secrets: readonly string[];
}

/** Why a record is not what the call asked for, to complete "answered 200 with ...". */
export type FindObjection = (record: unknown, completed: CompletedCall) => string | undefined;
