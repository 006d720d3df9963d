/** Each way in which a stream of the emulator's control API ends. */

import { once } from 'node:events';
import { request } from 'node:http';
import { MarketEmulator } from 'market-partner-sdk/testing';

export const streamWays = {
  'a stream, closed by its reader': async (t) => {
    const emulator = await start(t);
    return async () => (await open(emulator)).destroy();
  },
  'a stream, reset by its reader': async (t) => {
    const emulator = await start(t);
    return async () => (await open(emulator)).socket.resetAndDestroy();
  },
  'a stream, ended with its emulator': () => async () => {
    const emulator = await MarketEmulator.start({ control: true });
    const reader = await open(emulator);
    await Promise.all([once(reader, 'close'), emulator.stop()]);
  },
};

async function start(t) {
  const emulator = await MarketEmulator.start({ control: true });
  t.after(() => emulator.stop());
  return emulator;
}

/** The request of a stream that has begun. */
async function open(emulator) {
  for (;;) {
    const reader = request(`${emulator.baseUrl}/_emulator/v1/stream`, { agent: false });
    reader.on('error', () => undefined).end();
    const [response] = await once(reader, 'response');
    response.on('error', () => undefined).resume();
    if (response.statusCode === 200) return reader;
    // The emulator has not yet seen that another reader has gone, and has 32 places.
    await once(reader, 'close');
  }
}
