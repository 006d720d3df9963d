/** Finding: a rule that a case saw broken, and the evidence. */

import type { RuleName } from './rules.js';

/** One request of a sale, as the emulator logged it. */
export interface SeenRequest {
  readonly requestId: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** `POST /orders`. */
  readonly call: string;
  /** `undefined`: the connection was reset. */
  readonly status: number | undefined;
  readonly errorCode: string | undefined;
  /** Kinds of the faults that applied. */
  readonly faults: readonly string[];
  readonly key: string | undefined;
  readonly quoteId: string | undefined;
  readonly domain: string;
}

export interface Finding {
  readonly rule: RuleName;
  /** What was seen, in a sentence. */
  readonly seen: string;
  readonly requests: readonly SeenRequest[];
}

export function finding(
  rule: RuleName,
  seen: string,
  requests: readonly SeenRequest[] = [],
): Finding {
  return { rule, seen, requests };
}
