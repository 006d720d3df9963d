/** A transport tells one outcome, whatever the wire does before and after it. */

import { describe, expect, it, vi } from 'vitest';
import type { Dispatcher } from 'undici';
import { Cutoff } from '../../src/transport/cutoff.js';
import { fetchTransport, type FetchLike } from '../../src/transport/fetch.js';
import type { Transport, WireOutcome } from '../../src/transport/transport.js';
import { undiciTransport } from '../../src/transport/undici.js';

const request = {
  origin: 'https://market.example',
  target: '/api/partner/v1/orders/ord_1001',
  method: 'GET',
  headers: {},
  body: undefined,
};

function send(transport: Transport) {
  const cutoff = new Cutoff();
  const outcomes: WireOutcome[] = [];
  transport.send(request, cutoff, (outcome) => outcomes.push(outcome));
  return { cutoff, outcomes };
}

/** The handler that a transport gives to its dispatcher. */
function dispatched() {
  let handler: Required<Dispatcher.DispatchHandler> | undefined;
  const dispatch = (_options: never, given: never) => {
    handler = given;
    return true;
  };
  const sent = send(undiciTransport({ dispatch }));
  return { ...sent, handler: handler! };
}

const controller = { abort: vi.fn() } as unknown as Dispatcher.DispatchController;
const lost = new Error('lost');

describe('over undici', () => {
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
    ['the cut-off', ({ cutoff }) => cutoff.fire('time', lost)],
  ])('an answer is not followed by %s', (_what, after) => {
    const sent = answered();
    after(sent);
    expect(sent.outcomes).toEqual([{ status: 200, headers: {}, body: Buffer.from('{}') }]);
  });

  it.each<[string, (sent: ReturnType<typeof dispatched>) => void]>([
    ['the error that it causes', ({ handler }) => handler.onResponseError(controller, lost)],
    ['a late end', ({ handler }) => handler.onResponseEnd(controller, {})],
    ['a second one', ({ cutoff }) => cutoff.fire('abort', lost)],
  ])('a cut-off is not followed by %s', (_what, after) => {
    const sent = dispatched();
    sent.handler.onRequestStart(controller, {});
    sent.handler.onResponseStart(controller, 200, {});
    sent.cutoff.fire('time', new Error('too late'));
    after(sent);
    expect(sent.outcomes).toMatchObject([{ kind: 'broken', cause: { message: 'too late' } }]);
  });

  it('nothing is dispatched for a cut-off that has fired', () => {
    const dispatch = vi.fn(() => true);
    const cutoff = new Cutoff();
    cutoff.fire('abort', lost);
    const done = vi.fn();
    undiciTransport({ dispatch }).send(request, cutoff, done);
    expect(dispatch).not.toHaveBeenCalled();
    expect(done.mock.calls).toMatchObject([[{ kind: 'not_sent', cause: lost }]]);
  });
});

describe('over fetch', () => {
  const turn = () => new Promise((next) => setImmediate(next));

  it('an answer is not followed by a cut-off', async () => {
    const { cutoff, outcomes } = send(fetchTransport(async () => new Response('{}')));
    await vi.waitFor(() => expect(outcomes).toHaveLength(1), { interval: 1 });
    cutoff.fire('time', lost);
    await turn();
    expect(outcomes).toMatchObject([{ status: 200 }]);
  });

  it.each<[string, () => ReturnType<FetchLike>]>([
    ['an answer', async () => new Response('{}')],
    ['an error', async () => Promise.reject(lost)],
  ])('a cut-off is not followed by %s', async (_what, settle) => {
    let go: (() => void) | undefined;
    const opened = new Promise<void>((resolve) => (go = resolve));
    const { cutoff, outcomes } = send(fetchTransport(() => opened.then(settle)));
    cutoff.fire('time', lost);
    go?.();
    await turn();
    expect(outcomes).toMatchObject([{ kind: 'broken', cause: lost }]);
  });
});
