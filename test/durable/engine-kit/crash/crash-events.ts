/** The crash setup of the inbox: deliveries with faults, processes that are killed. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MarketClient } from 'market-partner-sdk';
import type { MarketEmulator } from 'market-partner-sdk/testing';
import { judgeEvents, type EventsReport } from './judge-events.js';
import type { CrashSetup, WorkerCounts } from './crash-setup.js';
import { readLedger, sinceEmptied } from './ledger.js';
import { causeTroubles, eventsOfSale } from './troubles.js';
import { pause, waitForEnd, WorkerProcesses } from './worker-processes.js';

/** Deliveries that are lost, late and doubled. */
const lostRate = 0.03;
const rates = { late: 0.05, doubled: 0.05 };
const latestMs = 1_500;

const saleEveryMs = 150;

/** How long the history hides an event: longer than polls and the test's patience with a loaded machine. */
const hiddenFor = '20 seconds';

export async function crashEvents(setup: CrashSetup): Promise<EventsReport & WorkerCounts> {
  const { emulator, random, config, settings } = setup;
  const workers = new WorkerProcesses(config, random);
  const router = await startRouter(workers, random, settings.hidesEvents ? 0 : lostRate);
  const market = new MarketClient(config.client);
  if (settings.hidesEvents) {
    // The last of a sale's events: nothing of its order is behind it.
    const last = { type: 'order.transfer_completed', chance: 0.5 } as const;
    emulator.faults.history.late(hiddenFor, last);
  }
  const sales = new Sales(emulator, market);
  let selling: Promise<void> | undefined;
  try {
    await market.events.registerWebhook({ url: router.url, secret: config.webhookSecret });
    await workers.start();
    selling = sales.sell(settings.items / eventsOfSale);
    const { stalls } = await causeTroubles(setup, workers, (lines) => {
      const ended = new Set(
        lines.filter((line) => line.includes(' end ')).map((line) => line.split(' ')[2]),
      );
      return sales.publicIds.length * eventsOfSale - ended.size;
    });
    sales.stop();
    await selling;
    const history = await historyOf(market, sales.publicIds);
    const count = sales.publicIds.length * eventsOfSale;
    const report = () => judgeEvents(sinceEmptied(readLedger(config.ledger)), history);
    const hasEnded = async () =>
      report().lost === 0 && (await setup.countWrongEffects(count)) === 0;
    await waitForEnd(hasEnded, settings.patienceMs);
    await pause(200);
    const final = report();
    const { kills, crashes, errors } = workers;
    if (final.lost > 0 || crashes > 0) console.error(errors);
    const wrongEffects = await setup.countWrongEffects(count);
    return { ...final, kills, crashes, stalls, wrongEffects };
  } finally {
    sales.stop();
    await selling?.catch(() => undefined);
    await workers.end();
    router.close();
    await market.close();
  }
}

/** Sales of three events each, some every second, for as long as the troubles last. */
class Sales {
  readonly publicIds: string[] = [];
  readonly #emulator: MarketEmulator;
  readonly #market: MarketClient;
  #isStopped = false;

  constructor(emulator: MarketEmulator, market: MarketClient) {
    this.#emulator = emulator;
    this.#market = market;
  }

  async sell(atLeast: number): Promise<void> {
    while (!this.#isStopped || this.publicIds.length < atLeast) {
      const domain = `crash-${this.publicIds.length}.example`;
      const { admin } = this.#emulator;
      admin.list({ domain, price_cents: 100_000 });
      const { public_id } = await this.#market.orders.create({ domain, expected_price: 100_000 });
      admin.startTransfer(public_id);
      admin.completeTransfer(public_id);
      this.publicIds.push(public_id);
      await pause(saleEveryMs);
    }
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** Waits for events that the history hides. */
async function historyOf(
  market: MarketClient,
  publicIds: readonly string[],
): Promise<Map<string, string[]>> {
  for (;;) {
    const history = new Map<string, string[]>(publicIds.map((id) => [id, []]));
    for await (const { id, data } of market.events.list({ limit: 100 })) {
      const { order } = data as { order: { public_id: string } };
      history.get(order.public_id)?.push(id);
    }
    if ([...history.values()].every((ids) => ids.length === eventsOfSale)) return history;
    await pause(500);
  }
}

/** Passes deliveries on to a worker that listens; some it loses, delays or doubles. */
async function startRouter(
  workers: WorkerProcesses,
  random: () => number,
  lost: number,
): Promise<{ url: string; close(): void }> {
  const forward = async (body: Uint8Array<ArrayBuffer>, signature: string): Promise<number> => {
    const { ports } = workers;
    const port = ports[Math.floor(random() * ports.length)];
    if (port === undefined) return 503;
    const headers = { 'x-market-signature': signature };
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      headers,
      body,
    }).catch(() => undefined);
    return response?.status ?? 503;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = new Uint8Array(Buffer.concat(chunks));
      const signature = String(request.headers['x-market-signature']);
      const chance = random();
      const { late, doubled } = rates;
      const respond = async (): Promise<number> => {
        if (chance < lost) return 200;
        if (chance < lost + late) await pause(random() * latestMs);
        if (chance > 1 - doubled) void forward(body, signature);
        return forward(body, signature);
      };
      void respond().then((status) => response.writeHead(status).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
