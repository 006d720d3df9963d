/** The options that several kinds of faults share, and their checks. */

import * as z from 'zod/mini';
import { ruled } from '../../core/schema/must.js';
import { must, oneOf, optional, withDefault } from '../../core/schema/options.js';
import { eventTypes } from '../../webhooks/event-types.js';
import type { MarketEventType } from '../../webhooks/events.js';
import { converted } from '../values.js';

/** How often a fault applies. */
export interface FaultOptions {
  /** How many calls, events or orders; `Infinity`: until the faults are cleared. */
  readonly times?: number | undefined;
  /**
   * The probability that it applies to a call, event or order that matches: above 0, up to 1, which is
   * the default. One that it does not apply to does not count for `times`. The emulator's `seed`
   * decides, so the same calls in the same order meet the same faults.
   */
  readonly chance?: number | undefined;
}

/** A fault that is armed, as plain data. */
export interface ArmedFault {
  /** Identifies it for {@link Faults.remove}. */
  readonly id: string;
  /** What it applies to: calls, deliveries, the history, the list of orders. */
  readonly target: 'calls' | 'deliveries' | 'history' | 'orderList';
  /** The calls or the type of events; `'next'` for the next call, `'all'` without a restriction. */
  readonly match: string;
  /** The kinds of the faults that apply together. */
  readonly kinds: readonly string[];
  /** The kinds in words: a response has its status, `'status 429'`. */
  readonly title: string;
  /** How often it still applies; `Infinity`: until it is removed. */
  readonly left: number;
  /** The probability that it applies; 1: always. */
  readonly chance: number;
}

let lastId = 0;

/** An id for a fault that is armed. */
export function nextFaultId(): string {
  lastId += 1;
  return `flt_${lastId}`;
}

/** How often, and with which chance. In JSON, which has no Infinity, `null` is without an end. */
export function frequency() {
  const isTimes = (it: unknown) =>
    it === null || it === Infinity || (Number.isInteger(it) && Number(it) > 0);
  const times = must<number | null>(
    'must be a whole number above zero, or Infinity (in JSON: null) for no end',
    isTimes,
  ).check(z.meta({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }));
  const rule = ruled('must be a number above 0, up to 1');
  return {
    times: optional(converted(times, (it) => it ?? Infinity)),
    chance: withDefault(z.number(rule).check(z.gt(0, rule), z.lte(1, rule)), 1),
  };
}

const knownTypes = eventTypes as readonly [MarketEventType, ...MarketEventType[]];

export const eventFrequency = () => ({ type: optional(oneOf(...knownTypes)), ...frequency() });

/** The title of an armed fault, with its chance. */
export function titleWithChance(title: string, chance: number): string {
  return chance === 1 ? title : `${title} (chance ${chance})`;
}
