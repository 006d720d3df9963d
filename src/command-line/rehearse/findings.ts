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
  /** Why the service refused it, in a sentence. */
  readonly reason: string | undefined;
  /** Kinds of the faults that applied. */
  readonly faults: readonly string[];
  readonly key: string | undefined;
  /** What was wrong with its nonce or timestamp, in words. */
  readonly signing: string | undefined;
  readonly quoteId: string | undefined;
  /** As it was sent. */
  readonly expectedPrice: unknown;
  /** The body without the order of its fields; a key has one. */
  readonly body: string;
  /** How late its response was sent; `Infinity`: never. */
  readonly lateMs: number;
  /** The payment; `undefined`: it is about no sale. */
  readonly sale: string | undefined;
}

export interface Finding {
  readonly rule: RuleName;
  /** What was seen, in a sentence. */
  readonly seen: string;
  readonly requests: readonly SeenRequest[];
}

/** The same for findings that one mistake of the program has in several cases. */
export function causeOf({ rule, seen }: Finding): string {
  return `${rule} ${seen.replaceAll(/\([^)]*\)|\b\w+_\w+|\brehearse-[\w.-]+|[\d.]+/g, '')}`;
}

/** @param right - what the program should do, which no finding lacks */
export function finding(
  rule: RuleName,
  seen: string,
  right: string,
  requests: readonly SeenRequest[] = [],
): Finding {
  return { rule, seen: `${seen} Right: ${right}`, requests };
}

/** A moment as sentences give it: `10:11:12`, in UTC. */
export function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}
