import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi, expectTypeOf } from 'vitest';
import type { ErrorToRead, ResponseToRead } from '../../../src/core/errors/read-error.js';
import * as sdk from 'market-partner-sdk';
import { describeCause } from '../../../src/core/errors/cause.js';
import { factsOf } from './failed-calls.js';

const { AbortedError, ApiError, ConfigurationError, ConflictError, ConnectionError } = sdk;
const { InvalidRequestError, MarketError, NotFoundError, UnexpectedResponseError } = sdk;

const call = { method: 'POST', path: '/x', attempts: 2, outcome: 'unknown' } as const;
const response = { status: 400, headers: {} };
const answer = { ...call, response, code: 'x', requestId: 'req_1', body: { a: 1 } };
const variable = { option: 'secret', variable: 'MARKET_SECRET' };
const issues = [{ path: 'domain', message: 'is required' }];
const late = { which: 'deadline', ...call } as const;
const order = { status: 'REFUNDED' } as sdk.OrderDetail;

type AnyClass = abstract new (...args: never[]) => Error;

type ErrorName = Extract<keyof typeof sdk, `${string}Error`>;

/** Every public class, by its place in the tree, with one error of it and that error's own facts. */
const tree: [name: ErrorName, parents: AnyClass[], error: Error, facts: object][] = [
  ['MarketError', [], new MarketError('m', call), call],
  ['ConfigurationError', [], new ConfigurationError('m', variable), variable],
  [
    'InvalidRequestError',
    [],
    new InvalidRequestError(issues, { method: 'GET' }),
    { method: 'GET', attempts: 0, nonces: [], outcome: 'not_sent', issues },
  ],
  ['ApiError', [], new ApiError('m', answer), answer],
  ...(
    [
      ...(['ValidationError', 'AuthenticationError', 'ForbiddenError', 'NotFoundError'] as const),
      ...(['ConflictError', 'PriceMismatchError', 'QuoteExpiredError', 'RateLimitError'] as const),
      'InternalServerError',
    ] as const
  ).map((name): (typeof tree)[number] => [name, [ApiError], new sdk[name]('m', answer), answer]),
  ['ConnectionError', [], new ConnectionError('m', call), call],
  ['TimeoutError', [ConnectionError], new sdk.TimeoutError('m', late), late],
  ['AbortedError', [], new AbortedError('m', call), call],
  ['UnexpectedResponseError', [], new UnexpectedResponseError('m', answer), answer],
  ['OrderNotReachedError', [], new sdk.OrderNotReachedError('m', { order }), { order }],
];

const classOf = (name: ErrorName) => sdk[name] as unknown as AnyClass;

describe.each(tree)('%s', (name, parents, error, facts) => {
  it('is itself, its parents, a MarketError and an Error, and nothing else', () => {
    const ancestors = [classOf(name), ...parents, MarketError];
    for (const [other] of tree) {
      const is = ancestors.includes(classOf(other));
      expect(error instanceof classOf(other), other).toBe(is);
    }
    expect(error).toBeInstanceOf(Error);
  });

  it('has its class’s name, which no assignment of a minifier changes', () => {
    expect(error.name).toBe(name);
    expect(String(error)).toMatch(new RegExp(`^${name}: `));
    expect(error.stack).toMatch(new RegExp(`^${name}: `));
    expect(Object.keys(error)).not.toContain('name');
    const descriptor = Object.getOwnPropertyDescriptor(classOf(name).prototype, 'name');
    expect(descriptor?.value).toBe(name);
  });

  it('has its facts as enumerable fields that a web framework may write', () => {
    expect(factsOf(error)).toEqual(facts);
    const [first = ''] = Object.keys(facts);
    const fields = error as unknown as Record<string, unknown>;
    const before = fields[first];
    for (const value of ['changed', before]) fields[first] = value;
    expect(fields[first]).toBe(before);
  });

  it('has no field that a web framework sends to its visitor', () => {
    for (const field of ['status', 'statusCode', 'headers', 'expose']) {
      expect(error).not.toHaveProperty(field);
    }
  });

  it('can be cloned, and its facts can be sent to a worker', () => {
    expect(structuredClone(error)).toMatchObject({ message: error.message, stack: error.stack });
    const data = (error as Error & { toJSON(): unknown }).toJSON();
    expect(structuredClone(data)).toEqual({ name, message: error.message, ...facts });
  });

  it('is plain data in JSON', () => {
    expect(JSON.parse(JSON.stringify(error))).toEqual({ name, message: error.message, ...facts });
  });

  it('is inspected as its stack and its facts', () => {
    const text = inspect(error);
    expect(text).toContain(error.stack);
    for (const fact of Object.keys(facts)) expect(text).toContain(`${fact}: `);
  });
});

describe('every public error class', () => {
  it('is in the tree above', () => {
    const errors = Object.keys(sdk).filter((name) => name.endsWith('Error'));
    expect(errors.toSorted()).toEqual(tree.map(([name]) => name).toSorted());
  });
});

describe('instanceof', () => {
  afterEach(() => {
    vi.resetModules();
  });

  it('holds across two copies of the package, in both directions', async () => {
    vi.resetModules();
    const copy = await import('market-partner-sdk');
    expect(copy.ApiError).not.toBe(ApiError);
    const theirs = new copy.NotFoundError('m', answer);
    const ours = new NotFoundError('m', answer);
    for (const error of [theirs, ours]) {
      for (const { NotFoundError: Itself, ApiError: Parent, MarketError: Root } of [sdk, copy]) {
        expect(error).toBeInstanceOf(Itself);
        expect(error).toBeInstanceOf(Parent);
        expect(error).toBeInstanceOf(Root);
      }
      expect(error).not.toBeInstanceOf(ConflictError);
      expect(error).not.toBeInstanceOf(copy.ConflictError);
    }
    expect(new copy.TimeoutError('m', { which: 'attempt' })).toBeInstanceOf(ConnectionError);
  });

  it.each([undefined, null, 7, 'MarketError', {}, [], () => 0, new Error('m')])(
    'does not hold for %s',
    (value) => {
      expect(value instanceof MarketError).toBe(false);
      expect(value instanceof ApiError).toBe(false);
    },
  );

  it('is by identity for a partner’s own subclass', () => {
    class Mine extends ApiError {}
    class Other extends ApiError {}
    class Below extends Mine {}
    const mine = new Mine('m', answer);
    expect(mine).toBeInstanceOf(Mine);
    expect(mine).toBeInstanceOf(ApiError);
    expect(mine).toBeInstanceOf(MarketError);
    expect(mine).not.toBeInstanceOf(Other);
    expect(mine).not.toBeInstanceOf(Below);
    expect(mine).not.toBeInstanceOf(NotFoundError);
    expect(new Below('m')).toBeInstanceOf(Mine);
    expect(new ApiError('m')).not.toBeInstanceOf(Mine);
    expect(mine.name).toBe('ApiError');
  });
});

const signature = `v1=${'0a'.repeat(32)}`;

describe('the cause of an error', () => {
  it('is absent if there is none: Node would print "[cause]: undefined" of an uncaught one', () => {
    const wrong = () => new sdk.MarketClient({ baseUrl: 'x' });
    expect(wrong).toThrow(expect.not.objectContaining({ cause: undefined }) as Error);
    expect(wrong).toThrow(ConfigurationError);
  });

  const facts = { code: 'ECONNRESET', syscall: 'read' };
  const socket = Object.assign(new Error('read ECONNRESET'), facts);

  it('is kept as it is, and described in brief', () => {
    const cause = new TypeError('fetch failed', { cause: socket });
    const error = new ConnectionError('m', call, { cause });
    expect(error.cause).toBe(cause);
    const brief = 'TypeError: fetch failed; caused by Error (ECONNRESET): read ECONNRESET';
    expect(error.toJSON()).toMatchObject({ cause: brief });
    expect(inspect(error)).toContain(brief);
  });

  it('shows no signature and nothing of the request that hangs on it', () => {
    const cause = Object.assign(new Error(`bad header ${signature}, ${signature}`), {
      request: { headers: { 'X-Market-Signature': signature }, body: 'whsec_hush' },
    });
    const error = new ConnectionError('m', call, { cause: new Error('outer', { cause }) });
    for (const text of [JSON.stringify(error), inspect(error), inspect({ error }, { depth: 9 })]) {
      expect(text).toContain('bad header v1=[redacted], v1=[redacted]');
      expect(text).not.toContain(signature);
      expect(text).not.toContain('hush');
    }
  });

  it.each<[string, unknown, string | undefined]>([
    ['nothing', undefined, undefined],
    ['null', null, undefined],
    ['a text', 'closed tab', 'closed tab'],
    ['a number', 7, 'a thrown number'],
    ['an object', { why: 'x' }, 'a thrown object'],
    ['a function', () => 0, 'a thrown function'],
    ['an empty message', new Error(''), 'Error: '],
    ['a code that is a number', Object.assign(new Error('m'), { code: 7 }), 'Error: m'],
    ['an error of another realm', runInNewContext('new RangeError("far")'), 'RangeError: far'],
    ['something like an error', { message: 'm', code: 'E_X' }, 'Error (E_X): m'],
    ['a cause that is a text', new Error('m', { cause: 'why' }), 'Error: m; caused by why'],
    [
      'several errors, by the first',
      new AggregateError([socket, new Error('b')], 'all failed'),
      'AggregateError: all failed; caused by Error (ECONNRESET): read ECONNRESET',
    ],
    ['an empty list of errors', new AggregateError([], 'none'), 'AggregateError: none'],
  ])('in words: %s', (_title, cause, words) => {
    expect(describeCause(cause)).toBe(words);
  });

  it('ends, however long or circular the chain is', () => {
    const cycle = new Error('round');
    cycle.cause = cycle;
    expect(describeCause(cycle)?.match(/round/g)).toHaveLength(10);
    const long = new Error('x'.repeat(5_000), { cause: new Error('y'.repeat(5_000)) });
    expect(describeCause(long)).toHaveLength(1_000);
  });

  it.each<[string, unknown]>([
    ['a function', () => 0],
    ['a proxy', new Proxy(new Error('x'), {})],
    ['an error caused by a function', new Error('x', { cause: () => 0 })],
    ['a symbol', Symbol('left')],
  ])('does not keep the error from being cloned: %s', (_title, cause) => {
    const error = new AbortedError('m', call, { cause });
    expect(structuredClone(error).message).toBe('m');
    expect(structuredClone(error.toJSON())).toMatchObject({ ...call, name: 'AbortedError' });
    expect(error.cause).toBe(cause);
    expect(Object.assign(error, { cause: 'other' }).cause).toBe('other');
  });

  it('may be one that cannot be read', () => {
    const cause = Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw new Error('no');
      },
    });
    expect(new AbortedError('m', call, { cause }).toJSON()).toMatchObject({ message: 'm' });
  });

  it('is absent from the data where there is none', () => {
    expect(new MarketError('m').toJSON()).toEqual({ name: 'MarketError', message: 'm' });
  });
});

describe('an error without facts', () => {
  it('can be made of a message alone, as partners’ tests do', () => {
    for (const Class of [ApiError, ConnectionError, AbortedError, UnexpectedResponseError]) {
      expect(factsOf(new Class('m'))).toEqual({});
    }
    expect(factsOf(new ConfigurationError('m'))).toEqual({});
  });

  it('is its stack for an inspector that lends no hand', () => {
    const error = new MarketError('m', call);
    const custom = Symbol.for('nodejs.util.inspect.custom');
    const show = () =>
      (error as unknown as Record<symbol, (depth: number, options: object) => string>)[custom]!(
        2,
        {},
      );
    expect(show()).toBe(error.stack);
    Object.defineProperty(error, 'stack', { value: undefined });
    expect(show()).toBe('MarketError: m');
  });
});

describe('InvalidRequestError', () => {
  it('names every rule, the call, and that nothing was sent', () => {
    const issues = [
      { path: 'domain', message: 'is required' },
      { path: 'buyer.country', message: 'must be two letters' },
    ];
    const facts = { method: 'POST', path: '/api/partner/v1/orders' };
    expect(new InvalidRequestError(issues, facts).message).toBe(
      'POST /api/partner/v1/orders: "domain" is required; "buyer.country" must be two letters. Nothing was sent.',
    );
    expect(new InvalidRequestError(issues, { method: 'GET' }).message).toMatch(/^GET: "domain"/);
    expect(new InvalidRequestError(issues).message).toMatch(/^"domain" is required;/);
  });
});

it('has every field that the package reads of an error of any origin', () => {
  expectTypeOf<keyof ErrorToRead>().toExtend<keyof sdk.RateLimitError>();
  expectTypeOf<keyof ResponseToRead>().toExtend<keyof sdk.ApiError['response']>();
});
