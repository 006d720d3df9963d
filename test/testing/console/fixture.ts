/** Requests and events as the page gets them, and a page's state that follows an emulator. */

import { onTestFinished, vi } from 'vitest';
import {
  createControlClient,
  type ControlClient,
} from '../../../src/testing/console/control-client.js';
import { follow } from '../../../src/testing/console/follow.js';
import { initialState, reduce, type PageState } from '../../../src/testing/console/state.js';
import { Token } from '../../../src/testing/console/token.js';
import type { RequestView } from '../../../src/testing/console/wire.js';
import { start } from '../control-fixture.js';

/** A request of the log; the fields that a test is about are given. */
export function request(fields: Partial<RequestView>): RequestView {
  return {
    requestId: `req_${Math.random()}`,
    receivedAt: 0,
    durationMs: 1,
    method: 'GET',
    rawPath: '/api/partner/v1/orders',
    path: '/api/partner/v1/orders',
    query: '',
    endpoint: 'GET /orders',
    status: 200,
    verdict: 'accepted',
    reason: undefined,
    errorCode: undefined,
    errorMessage: undefined,
    faults: [],
    canonical: undefined,
    orderId: null,
    keyId: 'mk_1',
    idempotencyKey: null,
    headers: {},
    bodyBytes: 0,
    body: '',
    ...fields,
  };
}

/** What a tab keeps, in memory. */
export function tabStorage() {
  const values = new Map<string, string>();
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
  };
}

/** An emulator, and the state of a page that follows it without a browser. */
export async function following(
  options: Parameters<typeof start>[0] = {},
  prepare: (client: ControlClient) => Promise<void> = async () => undefined,
) {
  const driven = await start(options);
  const token = new Token(tabStorage());
  const root = `${new URL(driven.emulator.baseUrl).origin}/_emulator/v1`;
  const client = createControlClient(root, () => token.value);
  await prepare(client);
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  let state = initialState('');
  const seen: PageState[] = [];
  const dispatch = (action: Parameters<typeof reduce>[1]) => {
    state = reduce(state, action);
    seen.push(state);
  };
  const sleep = () => new Promise<void>((resolve) => setImmediate(resolve));
  void follow({ client, dispatch, token, signal: stopping.signal, sleep });
  return {
    ...driven,
    client,
    dispatch,
    token,
    stopping,
    seen,
    get state() {
      return state;
    },
    /** Waits until the state is as described. */
    until: (condition: (state: PageState) => boolean) =>
      vi.waitFor(() => {
        if (!condition(state)) throw new Error(`still ${JSON.stringify(state).slice(0, 500)}`);
      }),
  };
}
