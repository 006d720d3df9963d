/** An inbox and an outbox that both need a person, on any engine, and the command that looks at them. */

import { MarketClient } from 'market-partner-sdk';
import {
  createEventInbox,
  createOrderOutbox,
  type DurableEngine,
} from 'market-partner-sdk/durable';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { onTestFinished } from 'vitest';
import type { QueueEngine } from '../../src/durable/queue/engine.js';
import { runCommandLine } from '../../src/command-line/main.js';

export const eventQueue = 'market-default-sandbox-events';
export const orderQueue = 'market-default-sandbox-orders';

/** Data of a buyer, which no listing may show. */
export const buyerEmail = 'buyer@customer.example';

/**
 * In the end: one dead event and a done one; `pay-1` in attention for its key, `pay-2` for its
 * callback, `pay-3` waiting.
 */
export async function strandedWork<Tx>(given: DurableEngine<Tx>) {
  const emulator = await MarketEmulator.start({ seed: 1 });
  onTestFinished(() => emulator.stop());
  const { keyId, secret } = emulator.createCredential();
  const market = new MarketClient({ baseUrl: emulator.baseUrl, keyId, secret });
  onTestFinished(() => market.close());
  const program = { isBroken: true, handled: [] as string[], told: [] as string[] };
  const act = (list: string[], text: string) => void list.push(text);
  const opened = given as QueueEngine<Tx>;
  // What a program does while its callbacks for all others succeed, at the end of its patience.
  const giveUp: QueueEngine<Tx>['open'] = async (spec) => {
    const queue = await opened.open(spec);
    const work: typeof queue.work = (run, options) =>
      queue.work(
        async (job) =>
          program.isBroken &&
          /-verdicts pay-2$|-events evt_00000001$/.test(`${spec.name} ${job.id}`)
            ? { deadLetter: 'Error: no such column' }
            : run(job),
        options,
      );
    return { ...queue, work };
  };
  const engine = Object.assign(Object.create(given) as QueueEngine<Tx>, { open: giveUp });

  const outbox = createOrderOutbox<Tx>({
    market,
    engine: engine,
    random: () => 0,
    // The emulator's orders are the only record of a payment here.
    recover: () => [],
    onPlaced: (order, { key }) => act(program.told, `${key} placed ${order.domain}`),
    onRefused: () => undefined,
    logger: false,
    onAttention: ({ reason }, { key }) => act(program.told, `${key} ${reason}`),
  });
  const inbox = createEventInbox<Tx>({
    market,
    engine: engine,
    startFrom: 'beginning',
    on: { 'order.recorded': ({ id }) => act(program.handled, id) },
  });
  onTestFinished(() => inbox.stop());
  onTestFinished(() => outbox.stop());

  const sale = (domain: string, cents: number) => {
    emulator.admin.list({ domain, price_cents: cents });
    return {
      domain,
      expected_price: cents,
      currency: 'USD',
      buyer: { email: buyerEmail, country: 'GB' },
    };
  };
  await market.orders.create(sale('tea.example', 100), { idempotencyKey: 'pay-1' });
  await outbox.add({ key: 'pay-1', order: sale('milk.example', 200) });
  await outbox.add({ key: 'pay-2', order: sale('coffee.example', 300) });
  await outbox.drain({ maxMs: 5_000 });
  await inbox.drain({ maxMs: 5_000 });
  await outbox.add({ key: 'pay-3', order: sale('water.example', 400) });
  return { emulator, market, inbox, outbox, program };
}

/** Runs `durable` with an engine's url, in the folder where the engines are installed. */
export async function durable(engine: string, ...args: string[]) {
  let out = '';
  let err = '';
  const code = await runCommandLine(['durable', ...args, '--engine', engine], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    stop: new AbortController().signal,
    cwd: 'test/durable/servers',
  });
  return { code, out, err };
}
