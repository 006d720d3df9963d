import { expect, it, onTestFinished } from 'vitest';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { createCommands } from '../../../src/testing/console/commands.js';
import { following } from './fixture.js';

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
  const ids = new Set(driven.state.requests.map(({ requestId }) => requestId));
  expect(ids.size).toBe(20);
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
    // Kept in a list: the runtime closes a stream that nobody can read any more.
    streams = Array.from({ length: 32 }, () => client.stream('', readers.signal));
    for (const stream of streams) await stream.next();
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
  const { call, client, dispatch, token, until } = driven;
  const copied: string[] = [];
  const commands = createCommands({
    client,
    dispatch,
    token,
    origin: 'http://127.0.0.1:1',
    confirm: () => true,
    writeClipboard: async (text) => void copied.push(text),
  });
  const order = await call('POST /orders', { body: { domain: 'brew.example' }, key: 'k' });
  const path = `/orders/${order.json.public_id}`;
  await commands.act([`${path}/hold`], [`${path}/clear`]);
  expect(driven.state.notice).toEqual({
    text: expect.stringMatching(/^Done: POST http:.*\/_emulator\/v1\/orders\/\w+\/clear$/),
    curl: expect.stringMatching(/^curl --json '\{\}' 'http:.*\/clear'$/),
    isError: false,
  });
  await commands.act([`${path}/clear`]);
  expect(driven.state.notice).toMatchObject({ isError: true });
  expect(driven.state.notice?.text).toContain('clear is not possible');

  await until(({ emulator }) => emulator !== undefined);
  const { keyId } = driven.state.emulator!.credentials[0]!;
  await commands.toggleSecret(keyId, true);
  const { secret } = driven.state;
  expect(secret).toMatch(/^msk_/);
  await commands.toggleSecret(keyId, false);
  expect(driven.state.secret).toBeUndefined();
  await commands.copyVariables('http://127.0.0.1:1', keyId);
  await commands.copy('a line');
  expect(copied).toEqual([
    `MARKET_BASE_URL=http://127.0.0.1:1\nMARKET_KEY_ID=${keyId}\nMARKET_SECRET=${secret!}`,
    'a line',
  ]);
  commands.setFilter('refused');
  expect(driven.state.filter).toBe('refused');
  commands.setToken('another');
  expect(token.value).toBe('another');
});

it('says why a text was not copied', async () => {
  const driven = await following();
  const { client, dispatch, token } = driven;
  const commands = createCommands({
    client,
    dispatch,
    token,
    origin: '',
    confirm: () => true,
    writeClipboard: () => Promise.reject(new TypeError('there is no clipboard')),
  });
  await commands.copy('a line');
  expect(driven.state.notice).toEqual({ text: 'there is no clipboard', isError: true });
});
