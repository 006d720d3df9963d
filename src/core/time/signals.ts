/**
 * Listening to a signal that many operations share: they get one listener between them, which is
 * removed when the last of them ends. The number of listeners therefore never depends on the load,
 * and a listener that stays behind is a leak.
 */

type Listener = () => void;

interface Listeners {
  readonly each: Set<Listener>;
  readonly notifyAll: Listener;
}

const listenersBySignal = new WeakMap<AbortSignal, Listeners>();

/**
 * Runs `listener` when the signal aborts, or immediately if it has already aborted.
 *
 * @returns a function that stops listening. Call it however the operation ends; a second call has
 * no effect.
 */
export function onAbort(signal: AbortSignal | undefined, listener: Listener): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  const { each, notifyAll } = listenersBySignal.get(signal) ?? listenTo(signal);
  each.add(listener);
  return () => {
    // A late second call must not drop the listeners of the operations that came after it.
    if (!each.delete(listener) || each.size > 0) return;
    signal.removeEventListener('abort', notifyAll);
    listenersBySignal.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const each = new Set<Listener>();
  const notifyAll = () => {
    for (const listener of [...each]) listener();
  };
  signal.addEventListener('abort', notifyAll);
  const listeners = { each, notifyAll };
  listenersBySignal.set(signal, listeners);
  return listeners;
}

/**
 * Runs `work` with a signal that fires when either does, and lets go of both when it is done:
 * `AbortSignal.any` would stay attached to a signal that outlives many calls.
 */
export async function withAnySignal<T, Signal extends AbortSignal | undefined>(
  first: Signal,
  second: Signal,
  work: (signal: AbortSignal | Signal) => Promise<T>,
): Promise<T> {
  if (first === undefined || second === undefined) return work(first ?? second);
  const controller = new AbortController();
  const cleanups = [first, second].map((signal) =>
    onAbort(signal, () => controller.abort(signal.reason)),
  );
  try {
    return await work(controller.signal);
  } finally {
    for (const release of cleanups) release();
  }
}

/** Rejects as soon as one of the signals fires: what cannot be ended must not be waited for. */
export function raceWithAbort<T>(
  work: PromiseLike<T>,
  ...signals: readonly (AbortSignal | undefined)[]
): Promise<T> {
  const cleanups: (() => void)[] = [];
  const aborted = new Promise<never>((_resolve, reject) => {
    for (const signal of signals) {
      cleanups.push(onAbort(signal, () => reject(reasonOf(signal))));
    }
  });
  return Promise.race([aborted, work]).finally(() => {
    for (const cleanup of cleanups) cleanup();
  });
}

/** TypeScript takes a signal that was not aborted before an await for one that never is. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Polyfills of `AbortSignal` have no `reason`, and no `throwIfAborted` either. */
export function reasonOf(signal: AbortSignal | undefined): Error {
  return (signal?.reason ?? new DOMException('This operation was aborted', 'AbortError')) as Error;
}
