import { expect, it } from 'vitest';
import { createLoader } from '../../../src/testing/console/loader.js';
import { following } from './fixture.js';

/** A page whose open part is read, once it is connected. */
async function loading() {
  const driven = await following();
  await driven.until(({ connection }) => connection === 'connected');
  const load = createLoader(driven.client, driven.dispatch);
  return {
    ...driven,
    load: () => load(driven.state),
    open(fragment: string) {
      driven.dispatch({ kind: 'route', fragment });
      load(driven.state);
    },
    get state() {
      return driven.state;
    },
  };
}

it('reads what is for sale, and what a search finds of it', async () => {
  const page = await loading();
  expect(page.state.domains).toBeUndefined();
  page.open('#domains');
  await page.until(({ domains }) => (domains?.listings.length ?? 0) > 1);
  expect(page.state.domains?.open).toBeUndefined();
  page.dispatch({ kind: 'replace', values: { search: ' brew.example ' } });
  page.load();
  await page.until(({ domains }) => domains?.listings.length === 1);
  expect(page.state.domains?.listings[0]?.domain).toBe('brew.example');
});

it('shows one domain, and says why another is not shown', async () => {
  const page = await loading();
  page.open('#domains/brew.example');
  await page.until(({ domains }) => domains?.open !== undefined);
  expect(page.state.domains?.open).toEqual({
    domain: 'brew.example',
    found: expect.objectContaining({ domain: 'brew.example' }),
  });
  page.open('#domains/missing.example');
  await page.until(({ domains }) => domains?.open?.domain === 'missing.example');
  expect(page.state.domains?.open?.found).toEqual(expect.stringContaining('missing.example'));
});

it('reads the list again after a sale', async () => {
  const page = await loading();
  page.open('#domains');
  await page.until(({ domains }) => domains !== undefined);
  const isListed = (state: typeof page.state) =>
    state.domains?.listings.some(({ domain }) => domain === 'brew.example') === true;
  expect(isListed(page.state)).toBe(true);
  await page.call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
  await page.until(({ emulator }) => emulator?.counts.orders === 1);
  page.load();
  await page.until((state) => !isListed(state));
});

it('reads the details of a request, or that it is no longer in the log', async () => {
  const page = await loading();
  await page.call('GET /orders');
  await page.until(({ requests }) => requests.length === 1);
  const id = page.state.requests[0]!.requestId;
  page.open(`#requests/${id}`);
  await page.until(({ openRequest }) => openRequest?.id === id);
  expect(page.state.openRequest?.request).toMatchObject({ requestId: id });
  page.open('#requests/req_of_before');
  await page.until(({ openRequest }) => openRequest?.id === 'req_of_before');
  expect(page.state.openRequest?.request).toBeUndefined();
});

it('reads nothing twice, and only the latest of what was asked meanwhile', async () => {
  const page = await loading();
  const read: string[] = [];
  const answers: (() => void)[] = [];
  const get = async (path: string) => {
    read.push(path);
    await new Promise<void>((resolve) => answers.push(resolve));
    return { content: [], streamId: '' };
  };
  const load = createLoader({ ...page.client, get }, page.dispatch);
  const search = (text: string) => {
    page.dispatch({ kind: 'replace', values: { search: text } });
    load(page.state);
  };
  page.dispatch({ kind: 'route', fragment: '#domains' });
  for (const text of ['a', 'a', 'ab', 'abc', 'abc']) search(text);
  expect(read.map((path) => path.split('search=')[1])).toEqual(['a']);
  answers.shift()?.();
  await page.until(() => read.length === 2);
  expect(read[1]).toContain('search=abc');
});

it('reads again what could not be read', async () => {
  const page = await loading();
  let tries = 0;
  const get: typeof page.client.get = (path) => {
    tries += 1;
    return tries === 1 ? Promise.reject(new TypeError('fetch failed')) : page.client.get(path);
  };
  const load = createLoader({ ...page.client, get }, page.dispatch);
  page.dispatch({ kind: 'route', fragment: '#domains' });
  load(page.state);
  await page.until(() => tries === 1);
  await page.until((state) => {
    load(state);
    return state.domains !== undefined;
  });
});

it('reads nothing before there is a connection', async () => {
  const { client, dispatch, state } = await following();
  const load = createLoader(
    { ...client, get: () => Promise.reject(new Error('it was read')) },
    dispatch,
  );
  expect(state.connection).toBe('connecting');
  expect(() => load({ ...state, route: { tab: 'domains', id: undefined } })).not.toThrow();
  expect(state.domains).toBeUndefined();
});
