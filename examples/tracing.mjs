// Shows calls as a tree of spans: what a request to your shop spent its time on, each attempt with
// what it waited and how it ended. The client publishes on node:diagnostics_channel, which costs
// nothing without a subscriber. For OpenTelemetry there is market-partner-sdk/opentelemetry.
//
//   node examples/tracing.mjs

import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { NotFoundError } from 'market-partner-sdk';
import { fault } from 'market-partner-sdk/testing';
import { connect } from './connect.mjs';
import { note, title } from './print.mjs';

// The span that runs: what begins meanwhile is its child, in whatever function that is.
const current = new AsyncLocalStorage();
const spans = new WeakMap();

listen('market-partner-sdk:call', ({ call }) => call, describeCall);
listen('market-partner-sdk:attempt', ({ attempt }) => `attempt ${attempt}`, describeAttempt);

const { market, emulator, where, close } = await connect({ scopes: ['search', 'buy'] });
title('One request to your shop, as spans', where);
// A bad minute of the service: it fails once, and it loses the answer to the order.
emulator?.faults.on('GET /domains/search', fault.internalError(), { times: 1 });
emulator?.faults.on('POST /orders', fault.resetAfterWork(), { times: 1 });

await traced('POST /basket/buy', async () => {
  const [listing] = await market.domains.search('finance');
  const { domain, price_cents, currency } = listing ?? {};
  if (domain === undefined || price_cents === undefined) throw new Error('no "finance" is listed');
  await Promise.all([market.domains.getPricing(domain), market.domains.checkAvailability(domain)]);
  await market.orders.create({ domain, expected_price: price_cents, currency });
  await market.domains.getPricing('nobody-lists-this.example').catch((error) => {
    if (!(error instanceof NotFoundError)) throw error;
  });
});

await close();
note('\nNo secret, signature or query is in a span; its error is the one that the caller gets.');

/** Each message is one span: the same object at its start and at its end. */
function listen(channelName, nameOf, describe) {
  const channel = tracingChannel(channelName);
  channel.start.bindStore(current, (message) => open(message, nameOf(message)));
  channel.asyncEnd.subscribe((message) => end(message, describe(message)));
}

/** A span of your own around the calls. */
async function traced(name, run) {
  const message = {};
  const span = open(message, name);
  try {
    await current.run(span, run);
  } finally {
    end(message, '');
    print(span);
  }
}

/** A new span, under the one that runs. */
function open(message, name) {
  const span = { name, startedAt: performance.now(), durationMs: 0, text: '', children: [] };
  current.getStore()?.children.push(span);
  spans.set(message, span);
  return span;
}

function end(message, text) {
  const span = spans.get(message);
  span.durationMs = performance.now() - span.startedAt;
  span.text = text;
}

function describeCall({ status, attempts: made, idempotencyKey, outcome, error }) {
  return [
    `${status ?? 'no answer'} after ${made} attempt${made === 1 ? '' : 's'}`,
    error && `${error.name}, outcome: ${outcome}`,
    idempotencyKey && `key ${idempotencyKey}`,
  ];
}

function describeAttempt({ status, requestId, failure, delayMs }) {
  return [delayMs > 0 && `after a wait of ${delayMs} ms`, status ?? failure, requestId];
}

/** A line for each span, its children under it. */
function print({ name, durationMs, text, children }, first = '', rest = '') {
  const label = `${first}${name}`.padEnd(40);
  const facts = [text].flat().filter(Boolean).join(', ');
  console.log(`${label} ${durationMs.toFixed(0).padStart(5)} ms  ${facts}`.trimEnd());
  for (const [index, child] of children.entries()) {
    const isLast = index === children.length - 1;
    print(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`);
  }
}
