/** Faults from JSON and from the command line, made by the functions of `fault`. */

import { fault, type Fault } from '../faults/fault.js';
import type { Duration } from '../clock.js';
import type { PartialListWord, ReferenceChange } from '../faults/lying-faults.js';
import type { Values } from './fields.js';

interface FaultFactory {
  /** The fields that the fault takes; the first may be written in parentheses. */
  readonly fields: readonly string[];
  /** What happens, in words. */
  readonly effect: string;
  /** A value of the first field that works. */
  readonly example?: string;
  readonly make: (values: Values) => Fault;
}

const factories: Readonly<Record<string, FaultFactory>> = {
  status: {
    fields: ['status', 'code', 'message', 'headers', 'body', 'afterWork'],
    effect: 'the response has another status',
    example: '503',
    make: ({ status, ...options }) => fault.status(status as number, options),
  },
  rateLimited: {
    fields: ['retryAfterSeconds'],
    effect: 'the response is 429 with Retry-After',
    example: '2',
    make: ({ retryAfterSeconds = 1 }) => fault.rateLimited(retryAfterSeconds as number),
  },
  internalError: {
    fields: ['afterWork'],
    effect: 'the response is 500; with "true", after the service acted',
    example: 'false',
    make: (options) => fault.internalError(options),
  },
  html: {
    fields: ['status', 'body', 'afterWork'],
    effect: 'a gateway responds with a page',
    example: '502',
    make: ({ status, ...options }) => fault.html(status as number | undefined, options),
  },
  redirect: {
    fields: ['location', 'status'],
    effect: 'a gateway redirects',
    example: 'https://login.example/',
    make: ({ location, status }) => {
      if (typeof location !== 'string') throw new TypeError('"fault.location" must be a string');
      return fault.redirect(location, status as number | undefined);
    },
  },
  resetBeforeWork: {
    fields: [],
    effect: 'the connection breaks before the service acts',
    make: fault.resetBeforeWork,
  },
  resetAfterWork: {
    fields: [],
    effect: 'the service acts, and the response is lost',
    make: fault.resetAfterWork,
  },
  emptyBody: {
    fields: [],
    effect: 'the response has no body',
    make: fault.emptyBody,
  },
  brokenBody: {
    fields: [],
    effect: 'the body of the response is cut',
    make: fault.brokenBody,
  },
  slowBody: {
    fields: ['everyMs', 'chunkBytes'],
    effect: 'the body comes slowly',
    example: '100',
    make: (options) => fault.slowBody(options),
  },
  endlessBody: {
    fields: ['everyMs'],
    effect: 'the body never ends',
    example: '100',
    make: (options) => fault.endlessBody(options),
  },
  latency: {
    fields: ['duration', 'medianMs', 'p99Ms'],
    effect: 'the service acts at once, the response comes late',
    example: '2 seconds',
    make: makeLatency,
  },
  wrongClock: {
    fields: ['offsetMs'],
    effect: 'the clock of the service is wrong',
    example: '600000',
    make: ({ offsetMs }) => fault.wrongClock(offsetMs as number),
  },
  staleList: {
    fields: ['ageSeconds', 'showAge'],
    effect: 'a list is from before, as a cache has it',
    example: '300',
    make: (options) => fault.staleList(options),
  },
  partialList: {
    fields: ['word'],
    effect: 'a list lacks its first item, and says so',
    example: 'has_more',
    make: ({ word }) => fault.partialList(word as PartialListWord),
  },
  ignoredFilter: {
    fields: [],
    effect: 'a list ignores its filters',
    make: fault.ignoredFilter,
  },
  changedReference: {
    fields: ['how'],
    effect: 'external_payment_ref comes back changed',
    example: 'case',
    make: ({ how }) => fault.changedReference(how as ReferenceChange),
  },
  otherRecord: {
    fields: [],
    effect: 'a single record is that of another',
    make: fault.otherRecord,
  },
};

/** `'2 seconds'`, or a median and a 99th percentile, which may be written `50..400`. */
function makeLatency({ duration, ...values }: Values): Fault {
  const [, median, p99] = /^(\d+)\.\.(\d+)$/.exec(String(duration)) ?? [];
  if (median !== undefined) return fault.latency({ medianMs: Number(median), p99Ms: Number(p99) });
  if (duration === undefined) {
    const { medianMs, p99Ms } = values as { medianMs: number; p99Ms: number };
    return fault.latency({ medianMs, p99Ms });
  }
  return fault.latency(duration === 'Infinity' ? Infinity : (duration as Duration));
}

/** The names of the faults, for messages and help texts. */
export const faultNames = Object.keys(factories);

/** Each fault, with the field whose value may be written in parentheses after its name. */
export function listFaults() {
  return Object.entries(factories).map(([name, { fields, effect, example }]) => {
    return { name, effect, field: fields[0], example };
  });
}

/**
 * One fault or several: `'resetAfterWork'`, `'rateLimited(2)'`, `{ name: 'status', status: 503 }`, or
 * an array of these.
 *
 * @throws {@link TypeError} that names the field and the rule
 */
export function readFaults(value: unknown): Fault[] {
  return [value].flat().map(readFault);
}

function readFault(value: unknown): Fault {
  const { name, ...values } = typeof value === 'string' ? parseCall(value) : asObject(value);
  const factory = findFactory(name);
  if (factory === undefined) {
    throw new TypeError(
      `"fault" must be one of ${faultNames.join(', ')}; got ${JSON.stringify(name ?? value)}`,
    );
  }
  for (const field of Object.keys(values)) {
    if (!factory.fields.includes(field)) {
      throw new TypeError(
        `"fault.${field}" is not a field of ${String(name)}; known: ${factory.fields.join(', ') || 'none'}`,
      );
    }
  }
  return factory.make(values);
}

/** `'latency(2 seconds)'`: the name, and the value of the first field. */
function parseCall(text: string): Values {
  const match = /^([A-Za-z]+)(?:\((.*)\))?$/.exec(text.trim());
  const [, name = text, argument] = match ?? [];
  const factory = findFactory(name);
  if (factory === undefined || argument === undefined || argument === '') return { name };
  const [field] = factory.fields;
  if (field === undefined) throw new TypeError(`The fault "${name}" takes no arguments.`);
  return { name, [field]: argumentOf(argument) };
}

function findFactory(name: unknown): FaultFactory | undefined {
  return typeof name === 'string' && Object.hasOwn(factories, name) ? factories[name] : undefined;
}

function argumentOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function asObject(value: unknown): Values {
  if (typeof value === 'object' && value !== null) return value as Values;
  return { name: value };
}
