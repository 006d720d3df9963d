/** The fault of each name: its fields with their rules, what it does, and how it is made. */

import * as z from 'zod/mini';
import { ruled } from '../../core/schema/must.js';
import {
  boolean,
  oneOf,
  optional,
  string,
  wholeNumber,
  withDefault,
} from '../../core/schema/options.js';
import { check, toMilliseconds, type Duration, type Fields, type ValuesOf } from '../values.js';
import { partialListWords, referenceChanges, type LyingFault } from './lying-faults.js';

/** A fault of one call. Made by the functions of `fault`. */
export type Fault =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** The body as sent; `undefined`: code and message in the service's error shape. */
      readonly body: string | undefined;
      readonly code: string;
      readonly message: string;
      readonly afterWork: boolean;
    }
  | { readonly kind: 'resetBeforeWork' }
  | { readonly kind: 'resetAfterWork' }
  | { readonly kind: 'emptyBody' }
  | { readonly kind: 'brokenBody' }
  | { readonly kind: 'slowBody'; readonly chunkBytes: number; readonly everyMs: number }
  | { readonly kind: 'endlessBody'; readonly everyMs: number }
  | { readonly kind: 'latency'; readonly ms: number; readonly p99Ms?: number }
  | { readonly kind: 'wrongClock'; readonly offsetMs: number }
  | LyingFault;

/** Details of a response that replaces the service's own. */
export interface ResponseFaultOptions {
  /** Error code of the body. The code of specification part 7 for the status unless given. */
  readonly code?: string | undefined;
  /** Message of the body. */
  readonly message?: string | undefined;
  /** Headers in addition to the service's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The whole body, in place of code and message: a string as it is, other values as JSON. */
  readonly body?: unknown;
  /** `true`: the service does its work first, and its own response is lost. `false` unless given. */
  readonly afterWork?: boolean | undefined;
}

interface FaultKind {
  /** What happens, in words. */
  readonly effect: string;
  /** A value of the first field that works. */
  readonly example?: string;
  /** The first field may be written in parentheses. */
  readonly fields: () => Fields;
  readonly make: (values: never) => Fault;
}

const codeByStatus: Readonly<Record<number, string>> = {
  400: 'validation_error',
  401: 'invalid_signature',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'price_mismatch',
  429: 'rate_limited',
  500: 'internal_error',
};

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' } as const;

const status = () => wholeNumber(200, 599);
const afterWork = () => withDefault(boolean(), false);
const headers = () => z.record(z.string(), string(), ruled('must be an object of texts'));

export const faultKinds = {
  status: kind({
    effect: 'the response has another status',
    example: '503',
    fields: () => ({
      status: status(),
      code: optional(string()),
      message: optional(string()),
      headers: optional(headers()),
      body: optional(z.unknown()),
      afterWork: afterWork(),
    }),
    make: respond,
  }),
  rateLimited: kind({
    effect: 'the response is 429 with Retry-After',
    example: '2',
    fields: () => ({
      retryAfterSeconds: withDefault(wholeNumber(0), 1),
    }),
    make: ({ retryAfterSeconds }) =>
      respond({ status: 429, headers: { 'retry-after': String(retryAfterSeconds) } }),
  }),
  internalError: kind({
    effect: 'the response is 500; with "true", after the service acted',
    example: 'false',
    fields: () => ({ afterWork: afterWork() }),
    make: (options) => respond({ status: 500, ...options }),
  }),
  html: kind({
    effect: 'a gateway responds with a page',
    example: '502',
    fields: () => ({
      status: withDefault(status(), 502),
      body: optional(string()),
      afterWork: afterWork(),
    }),
    make: ({ status, body, ...options }) =>
      respond({
        status,
        headers: { 'content-type': 'text/html; charset=utf-8' },
        body:
          body ??
          `<!doctype html><html><head><title>${status}</title></head><body><h1>Bad Gateway</h1></body></html>`,
        ...options,
      }),
  }),
  redirect: kind({
    effect: 'a gateway redirects',
    example: 'https://login.example/',
    fields: () => ({ location: string(), status: withDefault(status(), 302) }),
    make: ({ location, status }) => respond({ status, headers: { location }, body: '' }),
  }),
  resetBeforeWork: plain('resetBeforeWork', 'the connection breaks before the service acts'),
  resetAfterWork: plain('resetAfterWork', 'the service acts, and the response is lost'),
  emptyBody: plain('emptyBody', 'the response has no body'),
  brokenBody: plain('brokenBody', 'the body of the response is cut'),
  slowBody: kind({
    effect: 'the body comes slowly',
    example: '100',
    fields: () => ({
      everyMs: pause(100),
      chunkBytes: withDefault(wholeNumber(1), 1),
    }),
    make: (values) => ({ kind: 'slowBody', ...values }),
  }),
  endlessBody: kind({
    effect: 'the body never ends',
    example: '100',
    fields: () => ({ everyMs: pause(10) }),
    make: (values) => ({ kind: 'endlessBody', ...values }),
  }),
  latency: kind({
    effect: 'the service acts at once, the response comes late',
    example: '2 seconds',
    fields: () => ({
      duration: optional(latency()),
      medianMs: optional(milliseconds()),
      p99Ms: optional(milliseconds()),
    }),
    make: makeLatency,
  }),
  wrongClock: kind({
    effect: 'the clock of the service is wrong',
    example: '600000',
    fields: () => ({ offsetMs: z.number(ruled('must be a finite number')) }),
    make: ({ offsetMs }) => ({ kind: 'wrongClock', offsetMs }),
  }),
  staleList: kind({
    effect: 'a list is from before, as a cache has it',
    example: '300',
    fields: () => ({
      ageSeconds: withDefault(wholeNumber(1), 60),
      showAge: withDefault(boolean(), true),
    }),
    make: (values) => ({ kind: 'staleList', ...values }),
  }),
  partialList: kind({
    effect: 'a list lacks its first item, and says so',
    example: 'has_more',
    fields: () => ({ word: oneOf(...partialListWords) }),
    make: ({ word }) => ({ kind: 'partialList', word }),
  }),
  ignoredFilter: plain('ignoredFilter', 'a list ignores its filters'),
  changedReference: kind({
    effect: 'external_payment_ref comes back changed',
    example: 'case',
    fields: () => ({ how: oneOf(...referenceChanges) }),
    make: ({ how }) => ({ kind: 'changedReference', how }),
  }),
  otherRecord: plain('otherRecord', 'a single record is that of another'),
};

export type FaultName = keyof typeof faultKinds;

export const faultNames = Object.keys(faultKinds) as FaultName[];

/**
 * @param within - what the names of the fields begin with in a message
 * @throws {@link TypeError} that names the field and the rule
 */
export function makeFault(name: FaultName, values: unknown, within?: string): Fault {
  const { fields, make }: FaultKind = faultKinds[name];
  return make(check(fields, values, within) as never);
}

function kind<Shape extends Fields>(described: {
  readonly effect: string;
  readonly example?: string;
  readonly fields: () => Shape;
  readonly make: (values: ValuesOf<Shape>) => Fault;
}): FaultKind {
  return described;
}

function plain(
  name:
    | 'resetBeforeWork'
    | 'resetAfterWork'
    | 'emptyBody'
    | 'brokenBody'
    | 'ignoredFilter'
    | 'otherRecord',
  effect: string,
): FaultKind {
  return { effect, fields: () => ({}), make: () => ({ kind: name }) };
}

const milliseconds = () => z.number(ruled('must be a number of milliseconds'));

function pause(unlessGivenMs: number) {
  const rule = 'must be milliseconds of zero or more';
  return withDefault(z.number(ruled(rule)).check(z.gte(0, rule)), unlessGivenMs);
}

/** Its words are checked where it is made: it may be two numbers. */
const latency = () =>
  z.union(
    [z.number(), z.string()],
    ruled("must be milliseconds of zero or more, or words like '11 minutes' or '7 days'"),
  );

function respond({
  status,
  headers = {},
  body,
  afterWork = false,
  ...error
}: ResponseFaultOptions & { readonly status: number }): Fault {
  const isJson = body !== undefined && typeof body !== 'string';
  return {
    kind: 'response',
    status,
    headers: isJson ? { ...jsonHeaders, ...headers } : headers,
    body: isJson ? JSON.stringify(body) : body,
    code: error.code ?? codeByStatus[status] ?? `status_${status}`,
    message: error.message ?? 'Injected fault.',
    afterWork,
  };
}

/** `'2 seconds'`, or a median and a 99th percentile, which may be written `50..400`. */
function makeLatency(values: {
  readonly duration?: number | string | undefined;
  readonly medianMs?: number | undefined;
  readonly p99Ms?: number | undefined;
}): Fault {
  const { duration } = values;
  const [, median, p99] = /^(\d+)\.\.(\d+)$/.exec(String(duration)) ?? [];
  if (duration === undefined || median !== undefined) {
    const medianMs = Number(median ?? values.medianMs);
    const p99Ms = Number(p99 ?? values.p99Ms);
    if (medianMs > 0 && p99Ms >= medianMs && Number.isFinite(p99Ms)) {
      return { kind: 'latency', ms: medianMs, p99Ms };
    }
    throw new TypeError(
      '"medianMs" must be above 0, and "p99Ms" at least as much, in milliseconds',
    );
  }
  const isEndless = String(duration) === 'Infinity';
  return {
    kind: 'latency',
    ms: isEndless ? Infinity : toMilliseconds(duration as Duration),
  };
}
