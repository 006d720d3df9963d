// One receiver in a process of its own. It says its port, then answers each message with what it
// has used since the last one, and ends with its parent.

import { createServer } from 'node:http';
import { servers } from './servers.mjs';

process.on('disconnect', () => process.exit());

const [name] = process.argv.slice(2);
const server = createServer(await servers[name]());
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));

let last = process.cpuUsage();
process.on('message', ({ collect }) => {
  if (collect) globalThis.gc?.();
  const { user, system } = process.cpuUsage(last);
  last = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  process.send({ cpuMicros: user + system, rssMb: rss / 2 ** 20, heapMb: heapUsed / 2 ** 20 });
});
