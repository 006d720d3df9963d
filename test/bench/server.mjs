// The service's stand-in for the bench: a plain loopback server in a process of its own, so that its
// work is not counted as the client's. It answers every request with the same order and ends with
// its parent.

import { createServer } from 'node:http';

const order = JSON.stringify({
  id: 'ord_1001',
  object: 'order',
  public_id: 'ord_1001',
  domain: 'brew.example',
  status: 'TRANSFER_IN_PROGRESS',
  sale_price_cents: 250_000,
  currency: 'USD',
  created_at: '2026-11-21T08:00:00Z',
  timeline: [{ status: 'EXTERNALLY_PAID', at: '2026-11-21T08:00:00Z' }],
});

const eventsPerPage = 1_000;
const lastEvent = Number(process.env.BENCH_EVENTS ?? 0);

function page(after) {
  const from = after + 1;
  const to = Math.min(after + eventsPerPage, lastEvent);
  const events = [];
  for (let n = from; n <= to; n += 1) {
    events.push({
      id: `evt_${n}`,
      type: 'order.settled',
      created_at: '2026-11-21T08:00:00Z',
      data: {
        order: {
          public_id: `ord_${n}`,
          domain: 'brew.example',
          status: 'SETTLED',
          sale_price_cents: 250_000,
          currency: 'USD',
        },
      },
    });
  }
  return JSON.stringify({ events, next_cursor: `evt_${Math.max(to, after)}` });
}

const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json');
  const after = /\/events(?:\?.*?after_id=evt_(\d+))?/.exec(request.url);
  response.end(after === null ? order : page(Number(after[1] ?? 0)));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
