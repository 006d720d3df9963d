/**
 * Listening to a signal that belongs to the caller: many calls may share one, and a listener for
 * each of them would have Node warn of a leak. Each signal gets one listener, while it has calls.
 */

type Listener = () => void;

interface Listeners {
  readonly each: Set<Listener>;
  readonly notifyAll: Listener;
}

const listenersBySignal = new WeakMap<AbortSignal, Listeners>();

/**
 * Runs `listener` when the signal fires, and at once if it has fired already.
 *
 * @returns what ends the listening; to be called in any case.
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
    each.delete(listener);
    if (each.size > 0) return;
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
export async function withAnySignal<T>(
  first: AbortSignal | undefined,
  second: AbortSignal | undefined,
  work: (signal: AbortSignal | undefined) => Promise<T>,
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
