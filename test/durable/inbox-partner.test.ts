import { expect, it } from 'vitest';
import { drain, useInboxHarness } from './support/inbox-harness.js';
import { withQueues } from './support/open-engines.js';

const harness = useInboxHarness();

it('a delivery for another partner is refused with one error line and stops nothing', async () => {
  const inbox = harness.inbox();
  const [first, second, third] = await harness.sold(3);
  expect(await harness.deliver(inbox, first!, 'partner_1')).toBe(200);
  for (const id of ['evt_of_another', 'evt_of_another', 'evt_and_another']) {
    expect(await harness.deliver(inbox, { ...second!, id }, 'partner_2')).toBe(400);
  }
  const lines = harness.log.lines.filter(({ level }) => level === 'error');
  expect(lines).toMatchObject([{ fields: { id: 'evt_of_another', partnerId: 'partner_2' } }]);
  expect(lines[0]!.message).toContain('another partner');
  expect(await harness.deliver(inbox, third!, 'partner_1')).toBe(200);
  await expect(inbox.poll()).resolves.toMatchObject({ added: 0 });
  expect(await drain(inbox)).toMatchObject({ handled: 3 });
});

it('the first delivery of a new inbox fixes its partner only if the history shows its event', async () => {
  const engine = harness.engine;
  const inbox = harness.inbox({ engine });
  const [own] = await harness.sold(1);
  const foreign = { ...own!, id: 'evt_of_another' };
  expect(await harness.deliver(inbox, foreign, 'partner_2')).toBe(503);
  await drain(inbox);
  expect(await harness.deliver(harness.inbox({ engine }), own!, 'partner_1')).toBe(200);
  await harness.world.time.advance(3_600_000);
  expect(await harness.deliver(harness.inbox({ engine }), foreign, 'partner_2')).toBe(503);
  expect(harness.handled).toHaveLength(1);
});

it('an inbox that another release bound to a wrong partner is corrected by the own history', async () => {
  const engine = harness.engine;
  await harness.inbox({ engine }).poll();
  const bound = withQueues(engine, (queue) => ({
    checkpoint: async () => ({ ...(await queue.checkpoint())!, partnerId: 'partner_2' }),
  }));
  const inbox = harness.inbox({ engine: bound });
  const [first, second] = await harness.sold(2);
  await inbox.poll();
  expect(await harness.deliver(inbox, first!, 'partner_1')).toBe(200);
  expect(await harness.deliver(inbox, second!, 'partner_1')).toBe(200);
});

it('a delivery that names no partner is accepted', async () => {
  const inbox = harness.inbox();
  const [first, second] = await harness.sold(2);
  expect(await harness.deliver(inbox, first!, '')).toBe(200);
  expect(await harness.deliver(inbox, second!, 'partner_1')).toBe(200);
});

it('the partner of earlier processes is known before the first poll', async () => {
  const engine = harness.engine;
  const [first, second] = await harness.sold(2);
  const before = harness.inbox({ engine });
  await harness.deliver(before, first!, 'partner_1');
  await drain(before);
  const next = harness.inbox({ engine });
  expect(await harness.deliver(next, { ...second!, id: 'evt_x' }, 'partner_2')).toBe(400);
  expect(await harness.deliver(next, second!, 'partner_1')).toBe(200);
});
