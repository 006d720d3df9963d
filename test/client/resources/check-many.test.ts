import { describe, expect, it, vi } from 'vitest';
import { HttpResponse } from 'msw';
import { AbortedError, type CheckResult } from 'market-partner-sdk';
import { rejectionOf } from '../../support/errors.js';
import { mockMarket, parameter } from '../../support/mock-market.js';

const names = (count: number) => Array.from({ length: count }, (_, at) => `name-${at}.example`);

/** A service that answers in its own time; `underWay` is how many calls it has at once. */
function slowService() {
  let running = 0;
  const state = { most: 0 };
  const mock = mockMarket(async (request) => {
    running += 1;
    state.most = Math.max(state.most, running);
    const domain = parameter(request, 'domain') ?? '';
    // Later names are answered first, so that the order of answers is not that of the names.
    for (let turn = 9 - Number(/\d/.exec(domain)); turn > 0; turn -= 1) await macrotask();
    running -= 1;
    return domain.startsWith('bad')
      ? HttpResponse.json({ code: 'forbidden' }, { status: 403 })
      : { domain, available: true };
  });
  return { ...mock, state };
}

const macrotask = () => new Promise((resolve) => setImmediate(resolve));

async function collect(results: AsyncIterable<CheckResult>): Promise<CheckResult[]> {
  const collected: CheckResult[] = [];
  for await (const result of results) collected.push(result);
  return collected;
}

describe('domains.checkMany', () => {
  it('yields an answer for each name, in the order of the names', async () => {
    const { market } = slowService();
    const results = await collect(market.domains.checkMany(names(20)));
    expect(results.map(({ domain }) => domain)).toEqual(names(20));
    expect(results.map(({ availability }) => availability?.domain)).toEqual(names(20));
  });

  it.each([
    [undefined, 8],
    [1, 1],
    [3, 3],
  ])('has no more calls under way than concurrency: %s', async (concurrency, most) => {
    const { market, state } = slowService();
    await collect(market.domains.checkMany(names(20), { concurrency }));
    expect(state.most).toBe(most);
  });

  it('yields the error of a name, and goes on', async () => {
    const { market } = slowService();
    const list = ['name-1.example', 'bad-2.example', 'no name', 'name-3.example'];
    const results = await collect(market.domains.checkMany(list));
    expect(results.map(({ error }) => (error as Error | undefined)?.name)).toEqual([
      undefined,
      'ForbiddenError',
      'InvalidRequestError',
      undefined,
    ]);
    expect(results[2]).toMatchObject({ domain: 'no name' });
  });

  it('asks once for a name that comes twice, in any spelling', async () => {
    const { market, sent } = slowService();
    const list = ['brew-1.example', 'BREW-1.example.', 'tea-1.example', 'brew-1.example'];
    const results = await collect(market.domains.checkMany(new Set(list)));
    expect(sent).toHaveLength(2);
    expect(results.map(({ domain }) => domain)).toEqual(list.slice(0, 3));
    expect(results[1]?.availability).toEqual(results[0]?.availability);
    expect(await collect(market.domains.checkMany(list))).toHaveLength(4);
    expect(sent).toHaveLength(4);
  });

  it('reports its progress before each result', async () => {
    const { market } = slowService();
    const onProgress = vi.fn();
    for await (const { domain } of market.domains.checkMany(names(3), { onProgress })) {
      const at = Number(/\d/.exec(domain));
      expect(onProgress).toHaveBeenLastCalledWith({ done: at + 1, total: 3 });
    }
    expect(onProgress).toHaveBeenCalledTimes(3);
  });

  it('of no names asks nothing', async () => {
    const { market, sent } = slowService();
    expect(await collect(market.domains.checkMany([]))).toEqual([]);
    expect(sent).toEqual([]);
  });

  it('ends with an AbortedError when the signal aborts', async () => {
    const { market, sent } = slowService();
    const controller = new AbortController();
    const seen: string[] = [];
    const loop = async () => {
      const options = { signal: controller.signal, concurrency: 2 };
      for await (const { domain } of market.domains.checkMany(names(20), options)) {
        seen.push(domain);
        controller.abort(new Error('enough'));
      }
    };
    const error = await rejectionOf(loop());
    expect(error).toBeInstanceOf(AbortedError);
    expect(error.cause).toMatchObject({ message: 'enough' });
    // An answer that was there before the abort may still be yielded.
    expect(seen).not.toContain('name-2.example');
    expect(sent.length).toBeLessThanOrEqual(3);
  });

  it('sends nothing when the signal has aborted before', async () => {
    const { market, sent } = slowService();
    const loop = collect(market.domains.checkMany(names(3), { signal: AbortSignal.abort() }));
    expect(await rejectionOf(loop)).toBeInstanceOf(AbortedError);
    expect(sent).toEqual([]);
  });

  it('aborts the calls under way when the loop is left, and removes its listener', async () => {
    const signals: AbortSignal[] = [];
    const fetch = vi.fn(async (_url: string, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      const count = signals.length;
      if (count > 3) return new Promise<never>(() => undefined);
      // One goes first, then two, then three.
      if (count === 3) await vi.waitFor(() => expect(signals).toHaveLength(5), { interval: 1 });
      return Response.json({ available: true });
    });
    const { market } = mockMarket([]);
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, 'removeEventListener');
    const client = market.withOptions({ dispatcher: undefined, fetch });
    const results = client.domains.checkMany(names(9), { signal, concurrency: 3 });
    for await (const { domain } of results) {
      if (domain === 'name-2.example') break;
    }
    await macrotask();
    expect(signals.slice(3).map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(remove).toHaveBeenCalledOnce();
  });
});
