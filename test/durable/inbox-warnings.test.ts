import { expect, it } from 'vitest';
import { drain, marketOf, useInboxHarness } from './support/inbox-harness.js';

const harness = useInboxHarness();

it('an event under the id of another one is reported once, and not handled', async () => {
  const engine = harness.engine;
  const event = { type: 'order.recorded', data: { order: { public_id: 'ord_1' } }, id: 'evt_1' };
  const history = (created_at: string) => marketOf([{ ...event, created_at }]);
  await drain(harness.inbox({ engine, market: history('2026-03-01T11:59:00Z') }));
  expect(harness.logged('error')).toEqual([]);
  const inbox = harness.inbox({ engine, market: history('2026-03-01T11:58:30Z') });
  await drain(inbox);
  await drain(inbox);
  expect(harness.handled).toHaveLength(1);
  expect(harness.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { fields: { id: 'evt_1', storedAs: '2026-03-01T11:59:00Z' } },
  ]);
});

it('another process of the same name with other listeners is reported, and a deployment is not', async () => {
  const engine = harness.engine;
  const old = harness.inbox({ engine, on: { 'order.recorded': harness.record } });
  await old.poll();
  const current = harness.inbox({ engine });
  await current.poll();
  await current.poll();
  expect(harness.logged('warn')).toEqual([]);
  await old.poll();
  expect(harness.logged('warn')).toEqual([expect.stringContaining('listens for other types')]);
  await current.poll();
  await old.poll();
  expect(harness.logged('warn')).toHaveLength(2);
});

it('deliveries that another secret signed are told in one line, with the likely cause', async () => {
  const [event] = await harness.sold(1);
  const inbox = harness.inbox({ secret: 'whsec_of_last_year' });
  const statuses = [];
  for (let delivery = 0; delivery < 3; delivery += 1) {
    statuses.push(await harness.deliver(inbox, event!));
  }
  expect(statuses).toEqual([401, 401, 401]);
  expect(harness.logged('warn')).toEqual([
    expect.stringMatching(
      /^Deliveries were refused \(1 signature_mismatch\): No secret gives .*or the secret is not/,
    ),
  ]);
});
