import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { fault } from 'market-partner-sdk/testing';
import { createControlClient } from '../../../src/testing/console/control-client.js';
import { requestCurl } from '../../../src/testing/console/curl.js';
import * as format from '../../../src/testing/console/format.js';
import {
  attemptGroups,
  attemptsOf,
  canonicalLines,
  foldRepeats,
  noFilter,
  verdictOf,
  type Filter,
} from '../../../src/testing/console/requests.js';
import { readEntries } from '../../../src/testing/console/stream-reader.js';
import { subjectOf } from '../../../src/testing/console/subject.js';
import { isRefused } from '../../../src/testing/console/traffic.js';
import { Token } from '../../../src/testing/console/token.js';
import type { RequestView } from '../../../src/testing/console/wire.js';
import { serve } from '../../support/loopback.js';
import { start } from '../control-fixture.js';
import { caller, signed } from '../independent-signer.js';
import { request, tabStorage } from './fixture.js';

it('joins the attempts of one Idempotency-Key, where the latest of them stands', () => {
  const first = request({ idempotencyKey: 'k', status: undefined });
  const between = request({});
  const second = request({ idempotencyKey: 'k', status: 201 });
  const ofAnotherKey = request({ idempotencyKey: 'k', keyId: 'mk_2' });
  const requests = [first, between, second, ofAnotherKey];
  expect(attemptGroups(requests, noFilter).map(({ attempts }) => attempts)).toEqual([
    [ofAnotherKey],
    [first, second],
    [between],
  ]);
  expect(attemptsOf(requests, second)).toEqual([first, second]);
  expect(attemptsOf(requests, between)).toEqual([between]);
});

it('lists the requests of an endpoint or a result, with the other attempts of their call', () => {
  const reset = request({ idempotencyKey: 'k', status: undefined, endpoint: 'POST /orders' });
  const repeated = request({ idempotencyKey: 'k', status: 201, endpoint: 'POST /orders' });
  const refused = request({ status: 403, errorCode: 'forbidden', endpoint: undefined });
  const read = request({});
  const requests = [read, reset, repeated, refused];
  const listed = (filter: Partial<Filter>) =>
    attemptGroups(requests, { ...noFilter, ...filter }).map(({ attempts }) => attempts);
  expect(listed({ result: 'refused' })).toEqual([[refused], [reset, repeated]]);
  expect(listed({ result: 'accepted' })).toEqual([[reset, repeated], [read]]);
  expect(listed({ result: 'forbidden', endpoint: 'no endpoint' })).toEqual([[refused]]);
  expect(listed({ result: 'forbidden', endpoint: 'GET /orders' })).toEqual([]);
  expect(listed({ endpoint: 'POST /orders' })).toEqual([[reset, repeated]]);
});

it('leaves out what polls read, but nothing that was refused or changed by a fault', () => {
  const order = request({ method: 'POST', endpoint: 'POST /orders' });
  const refused = request({ status: 429, errorCode: 'rate_limited' });
  const partial = request({ faults: ['partialList'] });
  const requests = [request({}), order, refused, request({}), partial];
  const groups = attemptGroups(requests, { ...noFilter, hidesReads: true });
  expect(groups.flatMap(({ attempts }) => attempts)).toEqual([partial, refused, order]);
});

it('takes the way back from a page of the checkout for no refusal', () => {
  expect(isRefused(request({ status: 303, verdict: 'public' }))).toBe(false);
  expect(isRefused(request({ status: 410, verdict: 'public' }))).toBe(true);
  expect(isRefused(request({ status: 302 }))).toBe(true);
});

it('folds requests one after another that look the same', () => {
  const poll = (receivedAt: number) => request({ receivedAt, requestId: `req_${receivedAt}` });
  const other = request({ query: 'limit=5' });
  const twice = [request({ idempotencyKey: 'k' }), request({ idempotencyKey: 'k' })];
  const groups = attemptGroups([poll(1), poll(2), other, ...twice, poll(3)], noFilter);
  const runs = foldRepeats(groups);
  const count = ({ first, others }: (typeof runs)[number]) => [
    first.attempts.length,
    others.length,
  ];
  expect(runs.map(count)).toEqual([
    [1, 0],
    [2, 0],
    [1, 0],
    [1, 1],
  ]);
  expect([runs[3]!.id, runs[3]!.first.id]).toEqual(['req_1', 'req_2']); // its row is the latest
});

it('lists what has all the words of the search, in any case', () => {
  const order = request({ body: '{"domain":"brew.example"}', idempotencyKey: 'Payment-1' });
  const found = (search: string) => attemptGroups([request({}), order], noFilter, search).length;
  expect([found(''), found('BREW payment'), found('brew none'), found('orders ')]).toEqual([
    2, 1, 0, 2,
  ]);
});

it('says what tells a request from others of its endpoint', () => {
  const subject = (fields: Partial<RequestView>) => subjectOf(request(fields));
  expect(subject({ query: 'domain=brew.example' })).toBe('brew.example');
  expect(subject({ query: 'q=coffee+shop&limit=5' })).toBe('coffee shop limit=5');
  const path = '/api/partner/v1/orders/ord_1';
  expect(subject({ endpoint: 'GET /orders/{public_id}', path })).toBe('ord_1');
  expect(subject({ body: '{"currency":"USD","domain":"brew.example"}' })).toBe('brew.example');
  expect(['', 'no JSON', 'null', '{}'].map((body) => subject({ body }))).toEqual(['', '', '', '']);
  expect(subject({ endpoint: undefined, path: '/none' })).toBe('');
});

it('says what came of a request in a word', () => {
  expect(verdictOf(request({}))).toBe('accepted');
  expect(verdictOf(request({ status: 409, errorCode: 'conflict' }))).toBe('conflict');
  expect(verdictOf(request({ status: undefined }))).toBe('connection reset');
});

it('marks the line of the canonical string that differs', async () => {
  const { emulator, get } = await start();
  const credential = emulator.createCredential();
  const timestamp = emulator.clock.now() / 1000;
  const headers = signed(credential, { method: 'GET', path: '/orders', query: '', timestamp });
  await caller(emulator, credential)('GET /orders', { headers });
  const [recorded] = (await get('/requests')) as unknown as RequestView[];
  const lines = canonicalLines(recorded!.canonical!);
  expect(lines.map(({ name, differs }) => [name, differs])).toEqual([
    ['method', false],
    ['path', true],
    ['query', false],
    ['timestamp', false],
    ['nonce', false],
    ['bodySha256', false],
  ]);
  const { expected } = recorded!.canonical!;
  const [line] = canonicalLines({ expected, signed: undefined });
  expect(line).toMatchObject({ signed: undefined, differs: false });
});

it('writes a request as a command that a shell reads as it was', async () => {
  const { emulator, get } = await start({ clock: () => Date.now(), pathPrefix: '/gate' });
  const { keyId, secret } = emulator.createCredential();
  const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
  emulator.faults.on('POST /orders', fault.emptyBody());
  const input = { domain: 'brew.example', expected_price: 1, external_payment_ref: `it's "$(id)"` };
  await market.orders.create(input, { maxRetries: 0 }).catch(() => undefined);
  await market.domains.search(`tea's & coffee`);
  await market.close();
  const recorded = (await get('/requests')) as unknown as RequestView[];
  for (const each of recorded) {
    const command = requestCurl(emulator.baseUrl, each);
    const shell = `curl() { printf '%s\\0' "$@"; }; ${command}`;
    const printed = execFileSync('sh', ['-c', shell], { encoding: 'utf8' }).split('\0');
    const query = each.query === '' ? '' : `?${each.query}`;
    expect(printed.slice(0, 5)).toEqual([
      '-g',
      '--path-as-is',
      '-X',
      each.method,
      `${new URL(emulator.baseUrl).origin}${each.rawPath}${query}`,
    ]);
    expect(printed).toContain(`x-market-nonce: ${each.headers['x-market-nonce']}`);
    // After --data-binary, a body that begins with "@" would be the name of a file.
    if (each.body !== '') expect(printed.slice(-3, -1)).toEqual(['--data-raw', each.body]);
    expect(command).not.toContain('content-length');
  }
  expect(recorded).toHaveLength(2);
});

it('writes times, durations, prices and bodies', () => {
  const time = Date.parse('2026-11-19T10:00:00.123Z');
  expect(format.formatTime(time)).toBe('10:00:00.123');
  expect(format.formatDateTime(time)).toBe('2026-11-19 10:00:00');
  expect([0, 1, 598_000, 3_600_000, 8 * 86_400_000 + 1].map(format.formatDuration)).toEqual([
    '0 s',
    '1 s',
    '9 min 58 s',
    '1 h',
    '8 d',
  ]);
  expect(format.formatPrice(250_000, 'USD')).toBe('2,500.00 USD');
  expect(format.formatPrice(250_000, 'JPY')).toBe('250,000 JPY');
  expect(format.formatBody('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(format.formatBody('<html>')).toBe('<html>');
});

it('has the message of a response that is not the control API', async () => {
  const baseUrl = await serve((_, response) => response.writeHead(502).end('<html>'));
  const client = createControlClient(baseUrl, () => undefined);
  await expect(client.post('/reset')).rejects.toMatchObject({
    status: 502,
    message: 'The emulator responded with status 502.',
  });
});

it('reads server-sent events in any pieces', async () => {
  const bytes = new TextEncoder().encode(
    'retry: 1\n\nid: a.1\nevent: request\ndata: {"text":"ü"}\n\n: still here\n\nevent: full\ndata: {}\n\n',
  );
  for (const size of [1, 7, bytes.length]) {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size)
          controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    });
    const entries = [];
    for await (const some of readEntries(stream)) entries.push(...some);
    expect(entries).toEqual([
      { id: 'a.1', event: 'request', data: { text: 'ü' } },
      { id: '', event: 'full', data: {} },
    ]);
  }
});

it('keeps the token while the tab is open', async () => {
  const storage = tabStorage();
  const token = new Token(storage);
  expect(token.value).toBeUndefined();
  const next = token.next();
  token.set('a-long-token');
  await next;
  expect(new Token(storage).value).toBe('a-long-token');
});
