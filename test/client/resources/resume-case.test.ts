/** `brokerage.resumeCase`: what came of a case whose response was lost. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { InvalidRequestError, type ResumeWriteOptions } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { errorResponse, mockMarket } from '../../support/mock-market.js';

const startedAt = Date.parse('2026-11-21T08:00:00Z');
const at = (seconds: number) => new Date(startedAt + seconds * 1_000).toISOString();
const input = {
  domain: 'Wanted.example',
  tier: 'managed',
  buyer_email: 'ada@buyer.example',
} as const;
const opened = {
  case_id: 'case_1',
  domain: 'wanted.example',
  buyer_email: 'ada@buyer.example',
  created_at: at(1),
};

interface Service {
  readonly cases?: readonly object[];
  readonly list?: unknown;
  readonly eligibility?: unknown;
  readonly open?: unknown;
}

/** The body of a response can be read once, and a list is read twice. */
const copyOf = (body: unknown) => (body instanceof Response ? body.clone() : body);

/** A service that shows these cases; its writes are counted. */
function serviceOf({ cases = [], list, eligibility, open }: Service) {
  return mockMarket(
    (request) => {
      const { pathname } = new URL(request.url);
      if (request.method === 'POST') return copyOf(open) ?? { ...opened, case_id: 'case_2' };
      if (pathname.endsWith('/eligibility')) return copyOf(eligibility) ?? { eligible: true };
      return copyOf(list) ?? { cases, next_cursor: null };
    },
    { validateResponses: 'off', maxRetries: 0 },
  );
}

async function resume(service: Service, options?: ResumeWriteOptions) {
  const { market, sent, time } = serviceOf(service);
  const result = await market.brokerage.resumeCase({ input, startedAt }, options);
  const writes = sent.filter(({ method }) => method === 'POST').length;
  return { result, writes, reads: sent.length - writes, slept: time.slept };
}

describe('a list of cases that shows', () => {
  const upperCase = { domain: 'WANTED.example', buyer_email: 'ADA@buyer.example' };
  const ofTea = { ...opened, domain: 'tea.example' };
  const ofBob = { ...opened, buyer_email: 'bob@buyer.example' };
  it.each<[string, readonly object[], string]>([
    ['exactly this one', [opened], 'opened'],
    ['its domain and buyer in upper case', [{ ...opened, ...upperCase }], 'opened'],
    ['one that began with it', [{ ...opened, created_at: at(0) }], 'opened'],
    ['others next to it', [opened, ofTea, ofBob], 'opened'],
    ['an earlier one next to it', [opened, { ...opened, created_at: at(-301) }], 'opened'],
    ['two', [opened, { ...opened, case_id: 'case_2' }], 'attention'],
    ['one within the difference of two clocks', [{ ...opened, created_at: at(-300) }], 'attention'],
    ['one without a date', [{ ...opened, created_at: undefined }], 'attention'],
    ['one with an odd date', [{ ...opened, created_at: 'yesterday' }], 'attention'],
    ['one with a number for a date', [{ ...opened, created_at: 5 }], 'attention'],
    ['one without a buyer', [{ ...opened, buyer_email: null }], 'attention'],
    ['one without a domain', [{ ...opened, domain: '' }], 'attention'],
  ])('%s', async (_what, cases, state) => {
    const { result, writes } = await resume({ cases }, { repeat: 'accept' });
    expect(result).toMatchObject({ state });
    expect(writes).toBe(0);
  });
});

describe('a date without an offset', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each(['America/New_York', 'Asia/Tokyo'])(
    'is in UTC where the machine is in %s',
    async (zone) => {
      vi.stubEnv('TZ', zone);
      const created = (seconds: number) => ({
        ...opened,
        created_at: at(seconds).replace('Z', ''),
      });
      const { result, writes } = await resume({ cases: [created(1)] }, { repeat: 'accept' });
      expect(result).toMatchObject({ state: 'opened', case: { case_id: 'case_1' } });
      expect(writes).toBe(0);
      expect((await resume({ cases: [created(-301)] })).result).toMatchObject({ candidates: [] });
    },
  );
});

it('finds it on a later page, and says how', async () => {
  const { market, sent } = mockMarket(
    (request) =>
      new URL(request.url).searchParams.get('cursor') === 'c1'
        ? { cases: [opened], next_cursor: null }
        : { cases: [], next_cursor: 'c1' },
    { validateResponses: 'off' },
  );
  const result = await market.brokerage.resumeCase({ input, startedAt });
  expect(result).toMatchObject({
    state: 'opened',
    found: 'looked_up',
    case: { case_id: 'case_1' },
  });
  expect(sent).toHaveLength(2);
});

it('looks twice for what is not visible, and sends nothing', async () => {
  const { result, writes, reads, slept } = await resume({
    cases: [{ ...opened, created_at: at(-301) }],
  });
  expect(result).toEqual({ state: 'attention', candidates: [] });
  expect([writes, reads, slept]).toEqual([0, 3, [3_000]]);
});

const live = { eligible: false, reason: 'active site' };
const fromCache = Response.json({ eligible: true }, { headers: { 'x-cache': 'HIT' } });

it.each<[string, unknown, object]>([
  ['a live site', live, { state: 'refused', reason: 'active site' }],
  ['a case', { eligible: false, reason: 'already in a case' }, { state: 'attention' }],
  ['no reason', { eligible: false }, { state: 'attention' }],
  ['an empty reason', { eligible: false, reason: '' }, { state: 'attention' }],
  ['no JSON of the service', 'hello', { state: 'open' }],
])('a domain that is not eligible for %s', async (_what, eligibility, expected) => {
  const { result } = await resume({ eligibility });
  expect(result).toMatchObject(expected);
});

it.each<[string, Service]>([
  ['the list cannot be read', { list: errorResponse(403, 'forbidden')() }],
  ['the list is bare', { list: [] }],
  ['the list is partial', { list: { cases: [], has_more: true } }],
  ['the list came from a cache', { list: Response.json({ cases: [] }, { headers: { age: '9' } }) }],
  ['the eligibility is of another domain', { eligibility: { ...live, domain: 'other.example' } }],
  ['the eligibility cannot be read', { eligibility: errorResponse(500)() }],
  ['the eligibility came from a cache', { eligibility: fromCache }],
])('stays open where %s', async (_what, service) => {
  const { result, writes } = await resume(service, { repeat: 'accept' });
  expect(result).toMatchObject({ state: 'open', error: { method: 'GET' } });
  expect(writes).toBe(0);
});

describe("with repeat: 'accept'", () => {
  it.each<[string, unknown, object]>([
    ['opens it', undefined, { state: 'opened', found: 'repeated', case: { case_id: 'case_2' } }],
    ['is refused', errorResponse(409, 'conflict')(), { state: 'refused', reason: 'conflict' }],
    ['is refused for its credential', errorResponse(403, 'forbidden')(), { state: 'open' }],
    ['fails', errorResponse(500, 'internal_error')(), { state: 'open' }],
  ])('a repeat that %s is sent once', async (_what, open, expected) => {
    const { result, writes } = await resume({ open }, { repeat: 'accept' });
    expect(result).toMatchObject(expected);
    expect(writes).toBe(1);
  });

  it.each(['active site', 'already in a case'])('sends nothing where it is %s', async (reason) => {
    const { writes } = await resume(
      { eligibility: { eligible: false, reason } },
      { repeat: 'accept' },
    );
    expect(writes).toBe(0);
  });
});

it('is named by the error of a case whose response was lost', async () => {
  const { market } = serviceOf({ open: errorResponse(500)() });
  const error = await rejectionOf(market.brokerage.openCase(input));
  expect(error.message).toContain('with brokerage.resumeCase');
});

it('rejects for a wrong argument, with its name, before it reads', async () => {
  const { market, sent } = serviceOf({});
  const begun = { input, startedAt };
  const wrong: readonly [unknown, object, string][] = [
    [[], {}, 'case'],
    [{ ...begun, input: { ...input, domain: undefined } }, {}, 'domain'],
    [{ ...begun, input: { ...input, tier: 'gold' } }, {}, 'tier'],
    [{ ...begun, startedAt: null }, {}, 'startedAt'],
    [{ ...begun, startedAt: startedAt / 1_000 }, {}, 'startedAt'],
    [begun, { repeat: true }, 'repeat'],
    [begun, { signal: 'now' }, 'signal'],
  ];
  for (const [what, options, path] of wrong) {
    const error = await rejectionOf(market.brokerage.resumeCase(what as never, options));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ method: 'POST', issues: [{ path }] });
  }
  expect(sent).toHaveLength(0);
});
