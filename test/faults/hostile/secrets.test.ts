/** No secret and no signature in what a program can read of a call, under success and every fault. */

import { tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everyCall } from '../../specification.js';
import type { Fault, WireRequest } from '../simulation/exchange.js';
import { clean, faults, json, page } from '../simulation/faults.js';
import {
  credential,
  settled,
  simulatedMarket,
  simulatedTime,
} from '../simulation/simulated-market.js';

const records = { publicId: 'ord_1', caseId: 'case_1' };
/** The one that `everyCall` registers. */
const webhookSecret = 'whsec_5f0d';

/** Responses that repeat what they were sent. */
const echoes: Readonly<Record<string, Fault>> = {
  'an echo of the headers in the body': echo(400, ({ headers }) => JSON.stringify({ headers })),
  'an echo of the headers in a message': echo(401, ({ headers }) =>
    JSON.stringify({ code: 'invalid_signature', message: `got ${headers['x-market-signature']}` }),
  ),
  'an echo of the request in a page': echo(
    502,
    ({ headers, body }) => `<pre>${Object.values(headers).join('\n')}\n${body}</pre>`,
  ),
  'an echo of the body in an error': echo(400, ({ body }) =>
    JSON.stringify({ code: 'validation_error', message: body, received: body }),
  ),
  'an echo of the body in a page': echo(404, ({ body }) => `<html>${body}</html>`),
  'an echo of the bare signature': echo(401, ({ headers }) =>
    JSON.stringify({
      code: 'invalid_signature',
      message: `expected ${hexOf(headers)}`,
      got: hexOf(headers),
    }),
  ),
  'an echo of the body in a header': (exchange) => {
    if (!exchange.start()) return;
    const { body } = exchange.request;
    exchange.respond({ ...page(503), headers: { 'x-echo': body, 'x-request-id': body } });
  },
  "an echo of the credential's secret": echo(401, () =>
    JSON.stringify({ code: 'invalid_signature', message: `secret ${credential.secret}` }),
  ),
  'an echo of the headers in headers': (exchange) => {
    if (!exchange.start()) return;
    const { headers } = exchange.request;
    exchange.respond({ ...page(503), headers: { ...headers } });
  },
};

const cases: Readonly<Record<string, Fault>> = {
  success: clean,
  ...Object.fromEntries(Object.entries(faults).map(([name, { play }]) => [name, play])),
  ...echoes,
};

describe.each(Object.entries(cases))('%s', (_name, fault) => {
  it('shows no secret and no signature', async () => {
    const time = simulatedTime();
    const seen = watchChannels();
    const write = (...line: unknown[]) => seen.push(line);
    const logger = { debug: write, info: write, warn: write, error: write };
    for (const row of everyCall) {
      const { market, network } = simulatedMarket(time, () => fault, { logger, timeoutMs: 3_000 });
      const result = await time.run(settled(() => row.invoke(market, records).withResponse()));
      seen.push(result, market);
      const hidden = [
        credential.secret,
        webhookSecret,
        ...network.sent.map(({ headers }) => hexOf(headers)),
      ];
      expectHidden(row.name, seen.splice(0), hidden);
    }
  });
});

/** Everything that the tracing channels are told. */
function watchChannels(): unknown[] {
  const seen: unknown[] = [];
  const tell = (message: unknown) => void seen.push(message);
  const subscribers = { start: tell, end: tell, asyncStart: tell, asyncEnd: tell, error: tell };
  const channels = ['market-partner-sdk:call', 'market-partner-sdk:attempt'].map((name) =>
    tracingChannel<unknown, object>(name),
  );
  for (const channel of channels) channel.subscribe(subscribers);
  onTestFinished(() => {
    for (const channel of channels) channel.unsubscribe(subscribers);
  });
  return seen;
}

function expectHidden(call: string, seen: readonly unknown[], hidden: readonly string[]): void {
  const shown = seen.flatMap((value) => forms(value)).join('\n');
  for (const secret of hidden) {
    const at = shown.indexOf(secret);
    expect(at, `${call} shows it after …${shown.slice(Math.max(0, at - 200), at)}`).toBe(-1);
  }
}

/** What a logger, a crash report or a person could make of a value. */
function forms(value: unknown): string[] {
  const settings = { depth: Infinity, showHidden: true, maxStringLength: null, getters: false };
  const texts = [inspect(value, settings), String(value), JSON.stringify(value)];
  const { error } = (value ?? {}) as { error?: unknown };
  if (error instanceof Error) {
    texts.push(
      error.stack ?? '',
      String(error),
      JSON.stringify(error),
      inspect(Object.entries(error)),
    );
    for (let { cause } = error; cause instanceof Error; { cause } = cause) {
      texts.push(inspect(cause, settings), cause.stack ?? '');
    }
  }
  return texts;
}

/** The signature without its prefix. */
function hexOf(headers: WireRequest['headers']): string {
  return headers['x-market-signature']!.replace('v1=', '');
}

function echo(status: number, body: (request: WireRequest) => string): Fault {
  return (exchange) => {
    if (!exchange.start()) return;
    exchange.respond({ ...json(status, {}), body: body(exchange.request) });
  };
}
