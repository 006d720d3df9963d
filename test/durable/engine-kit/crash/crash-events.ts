/** The crash setup of the inbox: deliveries with faults, processes that are killed. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { MarketClient } from 'market-partner-sdk';
import type { MarketEmulator } from 'market-partner-sdk/testing';
import { judgeEvents, type EventsReport } from './judge-events.js';
import type { CrashSetup, WorkerCounts } from './crash-setup.js';
import { pause, WorkerProcesses } from './worker-processes.js';

/** Deliveries that are lost, late and doubled. */
const rates = { lost: 0.03, late: 0.05, doubled: 0.05 };
const latestMs = 1_500;

export async function crashEvents(setup: CrashSetup): Promise<EventsReport & WorkerCounts> {
  const { emulator, random, config, settings } = setup;
  const workers = new WorkerProcesses(config, random);
  const router = await startRouter(workers, random);
  const market = new MarketClient(config.client);
  try {
    await market.events.registerWebhook({ url: router.url, secret: config.webhookSecret });
    await workers.start(2);
    const publicIds = await Promise.all([
      sellAll(emulator, market, settings.items, settings.kills * 300),
      killAll(workers, settings.kills),
    ]).then(([ids]) => ids);
    const history = await historyOf(market, publicIds);
    const report = () => judgeEvents(readLedger(config.ledger), history);
    const until = Date.now() + settings.patienceMs;
    const isSettled = async () => report().lost === 0 && (await setup.countWrongEffects()) === 0;
    while (Date.now() < until && !(await isSettled())) await pause(100);
    await pause(200);
    const final = report();
    const { kills, crashes, errors } = workers;
    if (final.lost > 0 || crashes > 0) console.error(errors);
    return { ...final, kills, crashes };
  } finally {
    await workers.end();
    router.close();
    await market.close();
  }
}

async function killAll(workers: WorkerProcesses, kills: number): Promise<void> {
  while (workers.kills < kills) await workers.killOne();
}

/** Three events a sale, spread over the time of the kills. */
async function sellAll(
  emulator: MarketEmulator,
  market: MarketClient,
  events: number,
  ms: number,
): Promise<string[]> {
  const count = Math.ceil(events / 3);
  const publicIds: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const domain = `crash-${index}.example`;
    emulator.admin.list({ domain, price_cents: 100_000 });
    const { public_id } = await market.orders.create({ domain, expected_price: 100_000 });
    publicIds.push(public_id);
    emulator.admin.startTransfer(public_id);
    emulator.admin.completeTransfer(public_id);
    await pause(ms / count);
  }
  return publicIds;
}

async function historyOf(
  market: MarketClient,
  publicIds: readonly string[],
): Promise<Map<string, string[]>> {
  const history = new Map<string, string[]>(publicIds.map((id) => [id, []]));
  for await (const { id, data } of market.events.list({ limit: 100 })) {
    const { order } = data as { order: { public_id: string } };
    history.get(order.public_id)?.push(id);
  }
  return history;
}

export function readLedger(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}

/** Passes deliveries on to a worker that listens; some it loses, delays or doubles. */
async function startRouter(
  workers: WorkerProcesses,
  random: () => number,
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
      const { lost, late, doubled } = rates;
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
