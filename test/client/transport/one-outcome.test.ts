/** A transport tells one outcome, whatever the wire does before and after it. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Dispatcher } from 'undici';
import { Cancellation } from '../../../src/client/transport/cancellation.js';
import { fetchTransport, type FetchLike } from '../../../src/client/transport/fetch.js';
import type { Transport, TransportResult } from '../../../src/client/transport/transport.js';
import { undiciTransport } from '../../../src/client/transport/undici.js';

const request = {
  origin: 'https://market.example',
  target: '/api/partner/v1/orders/ord_1001',
  method: 'GET',
  headers: {},
  body: undefined,
};

function send(transport: Transport) {
  const cancellation = new Cancellation();
  const outcomes: TransportResult[] = [];
  transport.send(request, cancellation, (outcome) => outcomes.push(outcome));
  return { cancellation, outcomes };
}

/** The handler that a transport gives to its dispatcher. */
function dispatched() {
  let handler: Required<Dispatcher.DispatchHandler> | undefined;
  const dispatch = (_options: never, given: never) => {
    handler = given;
    return true;
  };
  const sent = send(undiciTransport({ dispatcher: { dispatch } }));
  return { ...sent, handler: handler! };
}

const controller = { abort: vi.fn() } as unknown as Dispatcher.DispatchController;
const lost = new Error('lost');

describe('over undici', () => {
  // What is dispatched is then dispatched in the same turn.
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const answered = () => {
    const sent = dispatched();
    sent.handler.onRequestStart(controller, {});
    sent.handler.onResponseStart(controller, 200, {});
    sent.handler.onResponseData(controller, Buffer.from('{}'));
    sent.handler.onResponseEnd(controller, {});
    return sent;
  };
  type Sent = ReturnType<typeof answered>;

  it.each<[string, (sent: Sent) => void]>([
    ['a second end', ({ handler }) => handler.onResponseEnd(controller, {})],
    ['an error', ({ handler }) => handler.onResponseError(controller, lost)],
    ['more of the body', ({ handler }) => handler.onResponseData(controller, Buffer.from('x'))],
    ['a cancellation', ({ cancellation }) => cancellation.cancel('timeout', lost)],
  ])('an answer is not followed by %s', (_what, after) => {
    const sent = answered();
    after(sent);
    expect(sent.outcomes).toEqual([{ status: 200, headers: {}, body: Buffer.from('{}') }]);
  });

  it.each<[string, (sent: ReturnType<typeof dispatched>) => void]>([
    ['the error that it causes', ({ handler }) => handler.onResponseError(controller, lost)],
    ['a late end', ({ handler }) => handler.onResponseEnd(controller, {})],
    ['a second one', ({ cancellation }) => cancellation.cancel('abort', lost)],
  ])('a cancellation is not followed by %s', (_what, after) => {
    const sent = dispatched();
    sent.handler.onRequestStart(controller, {});
    sent.handler.onResponseStart(controller, 200, {});
    sent.cancellation.cancel('timeout', new Error('too late'));
    after(sent);
    expect(sent.outcomes).toMatchObject([
      { kind: 'connection_lost', cause: { message: 'too late' } },
    ]);
  });

  it('nothing is dispatched for a cancelled attempt', () => {
    const dispatch = vi.fn(() => true);
    const cancellation = new Cancellation();
    cancellation.cancel('abort', lost);
    const done = vi.fn();
    undiciTransport({ dispatcher: { dispatch } }).send(request, cancellation, done);
    expect(dispatch).not.toHaveBeenCalled();
    expect(done.mock.calls).toMatchObject([[{ kind: 'not_sent', cause: lost }]]);
  });
});

describe('over fetch', () => {
  const turn = () => new Promise((next) => setImmediate(next));

  it('an answer is not followed by a cancellation', async () => {
    const { cancellation, outcomes } = send(fetchTransport(async () => new Response('{}')));
    await vi.waitFor(() => expect(outcomes).toHaveLength(1), { interval: 1 });
    cancellation.cancel('timeout', lost);
    await turn();
    expect(outcomes).toMatchObject([{ status: 200 }]);
  });

  it.each<[string, () => ReturnType<FetchLike>]>([
    ['an answer', async () => new Response('{}')],
    ['an error', async () => Promise.reject(lost)],
  ])('a cancellation is not followed by %s', async (_what, settle) => {
    let go: (() => void) | undefined;
    const opened = new Promise<void>((resolve) => (go = resolve));
    const { cancellation, outcomes } = send(fetchTransport(() => opened.then(settle)));
    await turn();
    cancellation.cancel('timeout', lost);
    go?.();
    await turn();
    expect(outcomes).toMatchObject([{ kind: 'connection_lost', cause: lost }]);
  });
});
