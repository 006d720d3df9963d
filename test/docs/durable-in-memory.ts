/** The durable entry point for the programs of the docs: no file is written, on any Node. */

import * as durable from 'market-partner-sdk/durable';

export function durableInMemory(): typeof durable {
  const sqliteEngine = () => durable.memoryEngine();
  return { ...durable, sqliteEngine: sqliteEngine };
}
