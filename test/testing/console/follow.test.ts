import { expect, it, onTestFinished, vi } from 'vitest';
import { MarketEmulator, fault } from 'market-partner-sdk/testing';
import { createCommands } from '../../../src/testing/console/commands.js';
import { noFilter } from '../../../src/testing/console/requests.js';
import { following } from './fixture.js';
import { collectGarbage } from '../../support/garbage.js';

it('shows what was there, and then what happens', async () => {
  const { call, get, until, emulator } = await following();
  await until(({ connection }) => connection === 'connected');
  await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
  await until(({ requests, emulator }) => requests.length === 1 && emulator?.counts.orders === 1);
  emulator.clock.advance('1 minute');
  const { now } = await get('/clock');
  await until((state) => state.emulator?.clock.now === now);
});

it('misses nothing and repeats nothing between the first read and the stream', async () => {
  const driven = await following();
  // Its first reads are under way.
  for (let count = 0; count < 20; count += 1) await driven.call('GET /orders');
  await driven.until(({ requests }) => requests.length === 20);
  expect(new Set(driven.state.requests.map(({ requestId }) => requestId)).size).toBe(20);
});

it('loads everything again after a reset', async () => {
  const { call, emulator, until } = await following();
  await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
  await until(({ requests }) => requests.length === 1);
  emulator.reset();
  await until(({ requests, emulator }) => requests.length === 0 && emulator?.counts.orders === 0);
});

it('says that the connection is lost, and follows the next emulator at the address', async () => {
  const { emulator, port, until } = await following();
  await until(({ connection }) => connection === 'connected');
  await emulator.stop();
  await until(({ connection }) => connection === 'lost');
  const next = await MarketEmulator.start({ port, control: true });
  onTestFinished(() => next.stop());
  next.createCredential({ keyId: 'mk_sandbox_next' });
  await until(
    ({ connection, emulator: shown }) =>
      connection === 'connected' && shown?.credentials[0]?.keyId === 'mk_sandbox_next',
  );
});

it('asks for the token, also for another one when it is wrong', async () => {
  const { token, until } = await following({ controlToken: 'a-long-token' });
  await until(({ connection }) => connection === 'locked');
  token.set('another-token');
  token.set('a-long-token');
  await until(({ connection }) => connection === 'connected');
});

it('tries again while the emulator takes no further reader', async () => {
  const readers = new AbortController();
  let streams: AsyncGenerator[] = [];
  const { until, seen } = await following({}, async (client) => {
    // Kept in a list: Node closes a stream that nobody can read any more.
    streams = Array.from({ length: 32 }, () => client.stream('', readers.signal));
    for (const stream of streams) await stream.next();
    // Which would close the streams whose bodies are not read yet.
    collectGarbage();
  });
  await until(() => seen.some(({ connection }) => connection === 'lost'));
  readers.abort();
  expect(streams).toHaveLength(32);
  await until(({ connection }) => connection === 'connected');
});

it('stops', async () => {
  const { client, stopping, seen, until, call } = await following();
  await until(({ connection }) => connection === 'connected');
  const another = client.stream('', new AbortController().signal);
  const opened = another.next();
  stopping.abort();
  await opened;
  const { length } = seen;
  await call('GET /orders');
  // The other reader has it: so would this one.
  const isRequest = ({ event }: { event: string }) => event === 'request';
  for await (const entries of another) if (entries.some(isRequest)) break;
  expect(seen.length).toBe(length);
});

it('has commands that act and show the call, or why it was refused', async () => {
  const driven = await following();
  const { call, token, until } = driven;
  const copied: string[] = [];
  const commands = commandsOf(driven, { writeClipboard: async (text) => void copied.push(text) });
  const order = await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
  const path = `/orders/${order.json.public_id}`;
  await commands.act([`${path}/hold`], [`${path}/clear`]);
  expect(driven.state.notice).toEqual({
    text: expect.stringMatching(
      /^Done: POST http:.*\/_emulator\/v1\/orders\/\w+\/clear: now EXTERNALLY_PAID$/,
    ),
    curl: expect.stringMatching(/^curl --json '\{\}' 'http:.*\/clear'$/),
    isError: false,
  });
  await commands.act([`${path}/clear`]);
  expect(driven.state.notice).toMatchObject({ isError: true });
  expect(driven.state.notice?.text).toContain('clear is not possible');

  await until(({ emulator }) => emulator !== undefined);
  const { keyId } = driven.state.emulator!.credentials[0]!;
  await commands.toggleSecret(keyId, true);
  const { secret } = driven.state.secrets!;
  expect(secret).toMatch(/^msk_/);
  await commands.toggleSecret(keyId, false);
  expect(driven.state.secrets).toBeUndefined();
  await commands.copyVariables('http://127.0.0.1:1', keyId);
  await commands.copy('a line');
  expect(copied).toEqual([
    `MARKET_BASE_URL=http://127.0.0.1:1\nMARKET_KEY_ID=${keyId}\nMARKET_SECRET=${secret}\nMARKET_WEBHOOK_SECRET=whsec_of_this_machine`,
    'a line',
  ]);
  const refused = { ...noFilter, result: 'refused' };
  commands.setFilter(refused);
  expect(driven.state.filter).toBe(refused);
  commands.setToken('another');
  expect(token.value).toBe('another');
});

it('says why a text was not copied', async () => {
  const driven = await following();
  await commandsOf(driven).copy('a line');
  expect(driven.state.notice).toEqual({ text: 'there is no clipboard', isError: true });
});

it('asks a person before a call that destroys something', async () => {
  const driven = await following();
  await driven.call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
  const orders = async () => (await driven.call('GET /orders')).json.data;
  const asked: string[] = [];
  const answers = [false, true];
  const commands = commandsOf(driven, {
    confirm: (question) => {
      asked.push(question);
      return answers.shift() === true;
    },
  });
  await commands.actAfterQuestion('Reset it?', ['/reset']);
  expect(driven.state.notice).toBeUndefined();
  await expect(orders()).resolves.toHaveLength(1);
  await commands.actAfterQuestion('Reset it?', ['/reset']);
  await expect(orders()).resolves.toEqual([]);
  expect(asked).toEqual(['Reset it?', 'Reset it?']);
});

it('raises the price of a domain', async () => {
  const driven = await following();
  const price = async () => (await driven.get('/domains/brew.example')).price_cents as number;
  const before = await price();
  await commandsOf(driven).raisePrice('brew.example');
  await expect(price()).resolves.toBe(before + 1000);
  await commandsOf(driven).raisePrice('missing.example');
  expect(driven.state.notice).toMatchObject({ isError: true });
});

it('places a sample order that is signed as a program signs it', async () => {
  const driven = await following();
  const { baseUrl } = driven.emulator;
  asInBrowserAt(baseUrl);
  await driven.until(({ emulator }) => emulator !== undefined);
  const { keyId } = driven.state.emulator!.credentials[0]!;
  const commands = commandsOf(driven);
  await commands.placeSampleOrder(baseUrl, keyId);
  const { data } = (await driven.call('GET /orders')).json;
  expect(driven.state.notice).toEqual({
    text: expect.stringMatching(/^Placed ord\w+\. It is under Orders\.$/),
    isError: false,
  });
  expect(data).toHaveLength(1);

  driven.emulator.faults.on('POST /orders', fault.status(503));
  await commands.placeSampleOrder(baseUrl, keyId);
  expect(driven.state.notice).toEqual({
    text: expect.stringContaining('The order was refused: '),
    isError: true,
  });
});

it('says that there is nothing to place a sample order for', async () => {
  const driven = await following({ inventory: [] });
  await driven.until(({ emulator }) => emulator !== undefined);
  const { keyId } = driven.state.emulator!.credentials[0]!;
  await commandsOf(driven).placeSampleOrder(driven.emulator.baseUrl, keyId);
  expect(driven.state.notice).toEqual({ text: 'No domain is for sale.', isError: true });
});

/** The commands of a page, whose browser has no clipboard and whose person says yes. */
function commandsOf(
  { client, dispatch, token }: Awaited<ReturnType<typeof following>>,
  surroundings: Partial<Parameters<typeof createCommands>[0]> = {},
) {
  return createCommands({
    client,
    dispatch,
    token,
    origin: 'http://127.0.0.1:1',
    confirm: () => true,
    writeClipboard: () => Promise.reject(new TypeError('there is no clipboard')),
    ...surroundings,
  });
}

/** A browser's `fetch` takes a path of the page's own origin. */
function asInBrowserAt(origin: string): void {
  const ofNode = globalThis.fetch;
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) => ofNode(new URL(url, origin), init));
  onTestFinished(() => void vi.unstubAllGlobals());
}
