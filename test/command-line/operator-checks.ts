/** What an operator can do with an inbox and an outbox: the same tests for each engine. */

import { createOrderOutbox } from 'market-partner-sdk/durable';
import { fault } from 'market-partner-sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buyerEmail, durable, eventQueue, orderQueue, strandedWork } from './stranded-work.js';
import type { QueueEngine } from '../../src/durable/queue/engine.js';

export interface Store<Tx> {
  readonly engine: QueueEngine<Tx>;
  /** The url and what belongs to it. */
  readonly args: readonly [url: string, ...options: string[]];
  /** Every row, to see that nothing was changed. */
  readonly dump: () => Promise<unknown>;
  /** Lets what waits in a queue have been due for two minutes. */
  readonly makeDueEarlier: (queue: string) => unknown;
}

export function operatorChecks<Tx>(name: string, open: () => Promise<Store<Tx>>): void {
  const start = async () => {
    const { engine, args, dump, makeDueEarlier } = await open();
    const work = await strandedWork(engine);
    const [url, ...options] = args;
    const run = (...action: string[]) => durable(url, ...action, ...options);
    const json = async (...action: string[]) => {
      const { code, out, err } = await run(...action, '--json');
      expect([code, err]).toEqual([0, '']);
      return JSON.parse(out) as unknown;
    };
    return { ...work, engine, run, json, dump, makeDueEarlier };
  };

  describe(name, () => {
    it('status counts, and changes nothing', async () => {
      const { run, json, dump } = await start();
      const before = await dump();
      expect(await json('status')).toEqual({
        engine: expect.any(String) as string,
        queues: [
          {
            queue: eventQueue,
            waiting: 0,
            running: 0,
            dead: 1,
            oldestWaitingMs: null,
            readAt: expect.stringMatching(/^20.*Z$/) as string,
            readTo: expect.stringMatching(/^20.*Z$/) as string,
            isStranded: false,
            isUnread: false,
            paused: null,
          },
          {
            queue: orderQueue,
            waiting: 1,
            placing: 0,
            attention: 2,
            unreported: 0,
            oldestWaitingMs: expect.any(Number) as number,
            isStranded: false,
            paused: null,
            isUnrecovered: false,
            recover: null,
          },
        ],
      });
      const { out } = await run('status');
      expect(out).toMatch(
        /^market-default-sandbox-events\n {2}waiting 0, running 0, dead 1, oldest waiting -, history read at 20\S+Z, up to 20\S+Z\n/,
      );
      expect(out).toMatch(/attention 2, unreported 0, oldest waiting \d+ s\n$/);
      expect(await dump()).toEqual(before);
    });

    it('dead-letters tells what needs a person, without buyers, and changes nothing', async () => {
      const { run, json, dump } = await start();
      const before = await dump();
      const listed = await json('dead-letters');
      expect(listed).toMatchObject({
        queues: [
          {
            queue: eventQueue,
            deadLetters: [
              {
                id: 'evt_00000001',
                type: 'order.recorded',
                attempts: 1,
                error: expect.stringContaining('no such column') as string,
              },
            ],
          },
          {
            queue: orderQueue,
            deadLetters: [
              { id: 'pay-1', reason: 'key_conflict', candidates: [], verdict: null },
              { id: 'pay-2', reason: 'handler_failed', verdict: 'placed' },
            ],
          },
        ],
      });
      const { out } = await run('dead-letters');
      expect(out).toContain(`${eventQueue} evt_00000001 order.recorded of ord_`);
      expect(out).toMatch(
        /-orders pay-2 handler_failed: The order ord_\S+ exists, but .*: Error: no such column\n/,
      );
      expect(out + JSON.stringify(listed)).not.toContain(buyerEmail);
      const one = ['dead-letters', '--limit', '1', '--queue', orderQueue];
      const first = await run(...one);
      expect(first.out).toMatch(
        /^\S+ pay-1 key_conflict.*\n\S+: more with --queue \S+ --cursor ".+"\n$/,
      );
      const [, cursor = ''] = /--cursor "(.+)"/.exec(first.out) ?? [];
      const second = await json(...one, '--cursor', cursor);
      expect(second).toMatchObject({
        queues: [{ deadLetters: [{ id: 'pay-2' }], nextCursor: null }],
      });
      expect(await run('dead-letters', '--cursor', cursor)).toMatchObject({ code: 2 });
      expect(await dump()).toEqual(before);
    });

    it('retry of an event lets the program handle it', async () => {
      const { run, inbox, program } = await start();
      const { code, out } = await run('retry', 'evt_00000001');
      expect([code, out]).toEqual([
        0,
        `${eventQueue}: evt_00000001 waits again, from attempt 1; your program handles it\n`,
      ]);
      program.isBroken = false;
      await inbox.drain({ maxMs: 5_000 });
      expect(program.handled).toContain('evt_00000001');
      const again = await run('retry', 'evt_00000001');
      expect([again.code, again.err]).toEqual([
        1,
        expect.stringMatching(
          /^No dead letter and no order needing attention has the id "evt_00000001"/,
        ),
      ]);
    });

    it('discard of an event needs a reason and keeps it', async () => {
      const { run, inbox, dump } = await start();
      expect(await run('discard', 'evt_00000001')).toMatchObject({ code: 2 });
      expect(await run('discard', 'evt_00000001', '--reason', ' ')).toMatchObject({ code: 2 });
      expect(await inbox.deadLetters()).toHaveLength(1);
      expect(await run('discard', 'evt_00000001', '--reason', 'a test order')).toMatchObject({
        code: 0,
      });
      expect(await inbox.deadLetters()).toEqual([]);
      expect(JSON.stringify(await dump())).toContain('a test order');
    });

    it('retry of a sale asks whether the payment stands, then sends it under the same key', async () => {
      const { run, outbox, emulator, dump } = await start();
      const before = await dump();
      const { code, err } = await run('retry', 'pay-1');
      expect([code, err]).toEqual([1, expect.stringContaining('--payment-stands')]);
      expect(await dump()).toEqual(before);
      expect(await run('retry', 'pay-1', '--payment-stands')).toMatchObject({ code: 0 });
      expect(await outbox.get('pay-1')).toMatchObject({ state: 'waiting' });
      const isSent = emulator.requests.length;
      await outbox.drain({ maxMs: 5_000 });
      const keys = emulator.requests
        .slice(isSent)
        .filter(({ method, path }) => method === 'POST' && path.endsWith('/orders'))
        .map(({ headers }) => headers['idempotency-key']);
      expect(keys.sort()).toEqual(['pay-1', 'pay-3']);
    });

    it('retry of several ids changes those that it can, and names the others', async () => {
      const { run, outbox, inbox } = await start();
      const { code, out } = await run('retry', 'evt_00000001', 'nobody', 'pay-1', 'pay-2');
      expect([code, out.split('\n')[0]]).toEqual([1, '2 of 4 dead letters retried']);
      expect(out).toContain('\nnobody: No dead letter and no order needing attention');
      expect(out).toContain('\npay-1: "pay-1" is a sale, and a retry may record its order.');
      expect(await inbox.deadLetters()).toEqual([]);
      expect(await outbox.get('pay-1')).toMatchObject({ state: 'attention' });
    });

    it('retry --all counts first and asks; with a reason it leaves the sales that need more', async () => {
      const { run, json, outbox, inbox, dump } = await start();
      const before = await dump();
      expect(await run('retry', '--all')).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /^1 left: needs --payment-stands\n2 dead letters will be retried\.\n[^]*add --yes/,
        ) as string,
      });
      expect(await run('retry')).toMatchObject({ code: 2 });
      expect(await run('retry', '--all', 'pay-2')).toMatchObject({ code: 2 });
      expect(await run('retry', 'pay-2', '--reason', 'handler_failed')).toMatchObject({ code: 2 });
      const none = await json('retry', '--all', '--yes', '--since', '2999-01-01');
      expect(none).toEqual({ results: [], failed: [], left: {} });
      const other = await json('retry', '--all', '--yes', '--reason', 'idempotency_mismatch');
      expect(other).toMatchObject({ results: [] });
      expect(await dump()).toEqual(before);
      const given = ['--all', '--yes', '--reason', 'handler_failed', '--since', '2020-01-01'];
      expect(await json('retry', ...given)).toEqual({
        results: [
          { queue: eventQueue, id: 'evt_00000001', action: 'retried' },
          { queue: orderQueue, id: 'pay-2', action: 'retried' },
        ],
        failed: [],
        left: {},
      });
      expect(await inbox.deadLetters()).toEqual([]);
      expect(await outbox.get('pay-1')).toMatchObject({ state: 'attention' });
      expect(await json('retry', '--all', '--yes', '--payment-stands')).toMatchObject({
        results: [{ id: 'pay-1' }],
      });
    });

    it('discard --all ends the dead events, and leaves the sales', async () => {
      const { json, inbox, outbox } = await start();
      expect(await json('discard', '--all', '--yes', '--reason', 'a test')).toEqual({
        results: [{ queue: eventQueue, id: 'evt_00000001', action: 'discarded' }],
        failed: [],
        left: { 'outbox.resolve() in your program': 2 },
      });
      expect(await inbox.deadLetters()).toEqual([]);
      expect(await outbox.get('pay-2')).toMatchObject({ state: 'attention' });
    });

    it('retry of a verdict runs its callback, and sends nothing', async () => {
      const { run, outbox, emulator, program } = await start();
      program.isBroken = false;
      const { code, out } = await run('retry', 'pay-2', '--queue', orderQueue);
      expect([code, out]).toEqual([0, expect.stringContaining('runs its callback again')]);
      const isSent = emulator.requests.length;
      await outbox.drain({ maxMs: 5_000 });
      expect(program.told).toContain('pay-2 placed coffee.example');
      const paths = emulator.requests
        .slice(isSent)
        .map(({ headers }) => headers['idempotency-key']);
      expect(paths).not.toContain('pay-2');
      expect(await outbox.get('pay-2')).toMatchObject({ state: 'placed' });
    });

    it.each([
      ['pay-1', /its order may exist\. Nothing was discarded\..*outbox\.resolve\("pay-1"/],
      ['pay-2', /"pay-2" is placed as ord_\S+: that stands.*durable retry pay-2/],
    ])('discard refuses the sale %s, and says what to do', async (key, message) => {
      const { run, dump } = await start();
      const before = await dump();
      const { code, err } = await run('discard', key, '--reason', 'it is late');
      expect([code, err]).toEqual([1, expect.stringMatching(message)]);
      expect(await dump()).toEqual(before);
    });

    it('retry of a refund asks whether it was done, then sends it once', async () => {
      const { run, json, dump, emulator, market, engine } = await start();
      emulator.admin.list({ domain: 'cocoa.example', price_cents: 500 });
      const ends: string[] = [];
      const outbox = createOrderOutbox<Tx>({
        market,
        engine,
        name: 'refunds',
        logger: false,
        escalateAfterMs: 1,
        recover: () => [],
        onPlaced: () => undefined,
        onRefused: () => undefined,
        onRefunded: (_order, { key }) => void ends.push(key),
        onNotRefunded: () => undefined,
        onAttention: () => undefined,
      });
      onTestFinished(() => outbox.stop());
      const order = { domain: 'cocoa.example', expected_price: 500, currency: 'USD' };
      await outbox.add({ key: 'pay-5', order: { ...order, buyer: { email: buyerEmail } } });
      await outbox.drain({ maxMs: 5_000 });
      emulator.faults.on('GET /orders/{public_id}', fault.internalError());
      await outbox.refund('pay-5', { reason: 'changed their mind' });
      await outbox.drain({ maxMs: 5_000 });

      const before = await dump();
      const { out } = await run('dead-letters', '--name', 'refunds');
      expect(out).toMatch(/ pay-5 refund: not_refunded_in_time: /);
      const listed = await json('dead-letters', '--name', 'refunds');
      expect(listed).toMatchObject({ queues: [{ deadLetters: [{ verdict: 'placed' }] }] });
      for (const [action, message] of [
        [['retry', 'pay-5'], /run this again with --not-refunded\..*\{ refunded: "<why>" \}/],
        [['retry', 'pay-5', '--payment-stands'], /run this again with --not-refunded\./],
        [
          ['discard', 'pay-5', '--reason', 'late'],
          /Nothing was discarded\..*\{ notRefunded: "<why>" \}/,
        ],
      ] as const) {
        const { code, err } = await run(...action);
        expect([code, err]).toEqual([1, expect.stringMatching(message)]);
      }
      expect(await dump()).toEqual(before);

      const retried = await run('retry', 'pay-5', '--not-refunded');
      expect([retried.code, retried.out]).toEqual([
        0,
        expect.stringContaining('sends it once more'),
      ]);
      emulator.faults.clear();
      await outbox.drain({ maxMs: 5_000 });
      expect(ends).toEqual(['pay-5']);
      const sent = emulator.requests.filter(({ path }) => path.endsWith('/refunds'));
      expect(sent).toHaveLength(1);
    });

    it('changes nothing of a sale that waits, and knows no other', async () => {
      const { run, dump } = await start();
      const before = await dump();
      for (const id of ['pay-3', 'pay-9', '']) {
        expect(await run('retry', id, '--payment-stands')).toMatchObject({ code: 1, out: '' });
        expect(await run('discard', id, '--reason', 'x')).toMatchObject({ code: 1, out: '' });
      }
      expect(await dump()).toEqual(before);
    });

    it('status --check exits with 1 while an event or an order needs a person, else with 0', async () => {
      const { run, inbox, outbox, program } = await start();
      const check = async (queue: string) =>
        (await run('status', '--check', '--queue', queue)).code;
      expect(await run('status')).toMatchObject({ code: 0 });
      expect([await check(eventQueue), await check(orderQueue)]).toEqual([1, 1]);
      await inbox.discard('evt_00000001', 'a test order');
      expect(await check(eventQueue)).toBe(0);
      program.isBroken = false;
      await outbox.resolve('pay-1', { refused: 'paid back' });
      await outbox.resolve('pay-2', 'retry');
      // The callbacks are due since this moment, and pay-3 since a moment before.
      expect(await check(orderQueue)).toBe(0);
    });

    it('status --check exits with 1 where "recover" did not add a payment, and names it', async () => {
      const { run, json, outbox, market, engine, program } = await start();
      program.isBroken = false;
      await outbox.resolve('pay-1', { refused: 'paid back' });
      await outbox.resolve('pay-2', 'retry');
      await outbox.stop();
      const order = { domain: 'tea.example', expected_price: '100', currency: 'USD' };
      let rows: unknown[] = [{ key: 'pay-7', order }];
      const broken = createOrderOutbox<Tx>({
        market,
        engine,
        recover: () => rows as never,
        onPlaced: () => undefined,
        onRefused: () => undefined,
        onAttention: () => undefined,
        logger: false,
      });
      onTestFinished(() => broken.stop());
      await broken.drain({ maxMs: 5_000 });
      const { code, out } = await run('status', '--check', '--queue', orderQueue);
      expect([code, out]).toEqual([
        1,
        expect.stringMatching(
          /"recover" did not add every payment[^]*recover: pay-7 refused: .*expected_price/,
        ),
      ]);
      expect(await json('status', '--queue', orderQueue)).toMatchObject({
        queues: [{ isUnrecovered: true, recover: { refused: 1, problems: [{ row: 'pay-7' }] } }],
      });
      rows = [];
      await broken.drain({ maxMs: 5_000 });
      expect(await run('status', '--check', '--queue', orderQueue)).toMatchObject({ code: 0 });
    });

    it('status --check exits with 1 where no program takes the work of a queue', async () => {
      const { run, engine, makeDueEarlier } = await start();
      const queue = 'market-forgotten-live-events';
      const limits = { leaseMs: 1_000, keepDoneMs: 60_000 };
      const events = await engine.open({ name: queue, ...limits });
      const createdAt = new Date().toISOString();
      await events.enqueue([{ id: 'evt_1', orderingKey: 'ord_1', body: '{}', createdAt }]);
      await events.close();
      expect(await run('status', '--check', '--queue', queue)).toMatchObject({ code: 0 });
      await makeDueEarlier(queue);
      const { code, out } = await run('status', '--check', '--queue', queue);
      expect([code, out]).toEqual([1, expect.stringContaining('no program takes it')]);
    });

    it('status --check exits with 1 where no poll has read the history for 15 minutes', async () => {
      const { run, engine, inbox } = await start();
      await inbox.discard('evt_00000001', 'a test order');
      const limits = { leaseMs: 1_000, keepDoneMs: 60_000 };
      const events = await engine.open({ name: eventQueue, ...limits });
      const checkpoint = await events.checkpoint();
      const readBefore = async (minutes: number) => {
        const at = new Date(Date.now() - minutes * 60_000).toISOString();
        await events.enqueue([], { checkpoint: { ...checkpoint!, at } });
        const { code, out } = await run('status', '--check', '--queue', eventQueue);
        return [code, out.includes('unread: the history was last read over 15 minutes ago')];
      };
      expect([await readBefore(14), await readBefore(16)]).toEqual([
        [0, false],
        [1, true],
      ]);
      await events.close();
    });

    it('selects by name and environment, and lists the queues where none fits', async () => {
      const { run } = await start();
      const { out } = await run('status', '--name', 'default', '--environment', 'sandbox');
      expect(out).toContain(orderQueue);
      const { code, err } = await run('status', '--environment', 'live');
      expect([code, err]).toEqual([
        1,
        `There is no such queue. There are: ${eventQueue}, ${orderQueue}\n`,
      ]);
      expect(await run('status', '--queue', 'market-x')).toMatchObject({ code: 1 });
    });
  });
}
