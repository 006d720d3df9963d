/** follow: keeps the state of the page the same as the emulator's, until it is stopped. */

import { CallError, type ControlClient } from './control-client.js';
import { createRefresher } from './refresher.js';
import { maxRequests, type Dispatch } from './state.js';
import type { StreamEntry } from './stream-reader.js';
import type { Token } from './token.js';
import type { EmulatorView, FaultOptionsView, RequestView } from './wire.js';

/** Longer lists would only make each read of the state slower. */
const statePath = '/state?limit=200';

const reconnectMs = 1_000;

/** The state is read again at most this often, no matter how often it changes. */
const refreshMs = 250;

export interface Following {
  readonly client: ControlClient;
  readonly dispatch: Dispatch;
  readonly token: Pick<Token, 'next'>;
  readonly signal: AbortSignal;
  /** Waits before the next try. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Loads everything, then follows the stream; after a gap it loads everything again. */
export async function follow(following: Following): Promise<void> {
  const { client, dispatch, token, signal, sleep } = following;
  let lastId: string | undefined;
  const refresh = createRefresher(refreshMs, sleep, async () => {
    const { content } = await client.get(statePath);
    dispatch({ kind: 'replace', values: { emulator: content as EmulatorView } });
  });
  // A function: the compiler takes a signal that was not aborted for one that never is.
  const isStopped = () => signal.aborted;
  while (!isStopped()) {
    try {
      lastId ??= await load(client, dispatch);
      for await (const entries of client.stream(lastId, signal)) {
        dispatch({ kind: 'replace', values: { connection: 'connected' } });
        lastId = apply(entries, lastId, dispatch, refresh);
        if (lastId === undefined) break;
      }
      // The emulator ended the stream: it stops, or the page was too slow.
      if (lastId !== undefined) throw new Error('the stream has ended');
    } catch (error) {
      if (isStopped()) return;
      const isLocked = error instanceof CallError && error.status === 401;
      dispatch({ kind: 'replace', values: { connection: isLocked ? 'locked' : 'lost' } });
      await (isLocked ? token.next() : sleep(reconnectMs));
    }
  }
}

/** @returns the id of the stream from which on nothing is missed */
async function load(client: ControlClient, dispatch: Dispatch): Promise<string> {
  const { content, streamId } = await client.get(statePath);
  const requests = await client.get(`/requests?limit=${maxRequests}`);
  const options = await client.get('/faults/options');
  dispatch({
    kind: 'loaded',
    emulator: content as EmulatorView,
    requests: requests.content as RequestView[],
    faultOptions: options.content as FaultOptionsView,
  });
  return streamId;
}

/** @returns the id of the last entry; `undefined` if everything must be loaded again */
function apply(
  entries: readonly StreamEntry[],
  lastId: string,
  dispatch: Dispatch,
  refresh: () => void,
): string | undefined {
  // `full`: the emulator has all the readers that it takes.
  if (entries.some(({ event }) => event === 'full')) {
    throw new Error('the emulator takes no further reader');
  }
  if (entries.some(({ event }) => event === 'gap')) return undefined;
  const requests = entries.filter(({ event }) => event === 'request');
  if (requests.length > 0) {
    dispatch({ kind: 'requests', requests: requests.map(({ data }) => data as RequestView) });
  }
  if (requests.length < entries.length) refresh();
  return entries.at(-1)?.id ?? lastId;
}
