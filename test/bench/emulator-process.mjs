// The emulator in a process of its own; it tells its CPU time and its heap, and ends with its parent.

import { MarketEmulator } from 'market-partner-sdk/testing';

const started = performance.now();
const emulator = await MarketEmulator.start();
const startMs = performance.now() - started;
const { keyId, secret } = emulator.createCredential();

process.on('message', (question) => {
  if (question === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send(user + system);
  } else {
    globalThis.gc();
    process.send(process.memoryUsage().heapUsed / 2 ** 20);
  }
});
process.on('disconnect', () => process.exit());
process.send({ baseUrl: emulator.baseUrl, keyId, secret, startMs });
