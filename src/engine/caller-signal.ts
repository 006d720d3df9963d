/**
 * Listening to a signal that belongs to the caller: many calls may share one, and a listener for
 * each of them would have Node warn of a leak. Each signal gets one listener, while it has calls.
 */

type Listener = () => void;

interface Listeners {
  readonly each: Set<Listener>;
  readonly tellAll: Listener;
}

const listening = new WeakMap<AbortSignal, Listeners>();

/**
 * Runs `listener` when the signal fires, and at once if it has fired already.
 *
 * @returns what ends the listening; to be called in any case.
 */
export function whenAborted(signal: AbortSignal | undefined, listener: Listener): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  const { each, tellAll } = listening.get(signal) ?? listenTo(signal);
  each.add(listener);
  return () => {
    each.delete(listener);
    if (each.size > 0) return;
    signal.removeEventListener('abort', tellAll);
    listening.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Listeners {
  const each = new Set<Listener>();
  const tellAll = () => {
    for (const listener of [...each]) listener();
  };
  signal.addEventListener('abort', tellAll);
  const listeners = { each, tellAll };
  listening.set(signal, listeners);
  return listeners;
}
