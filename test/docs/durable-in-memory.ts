/** The durable entry point for the programs of the docs: no file is written, on any Node. */

import * as durable from 'market-partner-sdk/durable';

/** @param cleanups - receives the stop of each inbox: a program that stays up does not stop it. */
export function durableInMemory(cleanups: (() => unknown)[]): typeof durable {
  const sqliteEngine = () => durable.memoryEngine();
  const createEventInbox: typeof durable.createEventInbox = (options) => {
    const inbox = durable.createEventInbox(options);
    cleanups.push(() => inbox.stop({ graceMs: 0 }));
    return inbox;
  };
  return { ...durable, sqliteEngine, createEventInbox };
}
