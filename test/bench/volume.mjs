// Questions of volume: 200,000 events through one iteration, and 10,000 calls started at once.

import { MarketClient } from 'market-partner-sdk';
import { table, whole } from './table.mjs';

const credential = { keyId: 'mk_test_bench', secret: 'bench-secret' };

export async function events(port, total) {
  const market = new MarketClient({ baseUrl: `http://127.0.0.1:${port}`, ...credential });
  const rows = [];
  let read = 0;
  let baseline;
  let lapStarted = process.hrtime.bigint();
  const lap = total / 4;
  for await (const event of market.events.list({ limit: 1_000 })) {
    if (event.data.order.currency !== 'USD') throw new Error('not an event');
    read += 1;
    if (read === 5_000) baseline = usedMb();
    if (read % lap === 0) {
      const micros = Number(process.hrtime.bigint() - lapStarted) / 1e3 / lap;
      rows.push([whole(read), micros.toFixed(2), (usedMb() - baseline).toFixed(1)]);
      lapStarted = process.hrtime.bigint();
    }
  }
  if (read !== total) throw new Error(`${read} events of ${total}`);
  table(
    'reading events through events.list iteration',
    ['events read', 'us per event, this quarter', 'heap growth MB'],
    rows,
  );
  await market.close();
}

export async function manyAtOnce(port, count) {
  const market = new MarketClient({ baseUrl: `http://127.0.0.1:${port}`, ...credential });
  await market.orders.get('ord_1001');
  const before = usedMb();
  let peak = before;
  const sockets = () =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  let mostSockets = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().heapUsed / 2 ** 20);
    mostSockets = Math.max(mostSockets, sockets());
  }, 20);
  const started = process.hrtime.bigint();
  const calls = Array.from({ length: count }, () => market.orders.get('ord_1001'));
  peak = Math.max(peak, process.memoryUsage().heapUsed / 2 ** 20);
  const answers = await Promise.all(calls);
  clearInterval(watch);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (answers.some(({ public_id }) => public_id !== 'ord_1001'))
    throw new Error('an answer is missing');
  table(
    `${whole(count)} calls started at once`,
    ['answered', 'seconds', 'sockets at most', 'peak heap KB per waiting call'],
    [
      [
        whole(answers.length),
        seconds.toFixed(2),
        whole(mostSockets),
        (((peak - before) * 1024) / count).toFixed(1),
      ],
    ],
  );
  await market.close();
}

function usedMb() {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
