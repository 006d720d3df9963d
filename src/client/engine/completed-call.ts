/** CompletedCall: a call that succeeded. */

import type { CallResponse } from '../results/call-promise.js';
import type { PreparedCall } from './prepare.js';

export interface CompletedCall {
  readonly call: PreparedCall;
  readonly response: CallResponse;
  /** The nonce of each attempt. */
  readonly nonces: readonly string[];
}
