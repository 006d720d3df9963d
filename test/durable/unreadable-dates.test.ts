/** Events whose `created_at` is no date: they stop nothing, and make no other event old or new. */

import { expect, it } from 'vitest';
import { drain, useInboxHarness } from './support/inbox-harness.js';

const harness = useInboxHarness();

/** A client whose history shows no date of these events; `null` in place of them, if told so. */
function marketThatSpoils(ids: readonly string[], spoil: (event: object) => unknown) {
  const spoilt: typeof fetch = async (...request) => {
    const response = await harness.world.emulator.fetch(...request);
    const body = (await response.json()) as { events?: { id: string }[] };
    const events = body.events?.map((event) => (ids.includes(event.id) ? spoil(event) : event));
    return new Response(
      JSON.stringify(events === undefined ? body : { ...body, events }),
      response,
    );
  };
  return harness.world.client({ fetch: spoilt, validateResponses: 'off' });
}

const undated = (event: object) => ({ ...event, created_at: 'yesterday' });

it.each([
  ['without a readable date is handled, and', undated, 4],
  ['that is no record', () => null, 3],
])('a first event %s makes no gap', async (_what, spoil, expected) => {
  const [first] = await harness.sold(3);
  const inbox = harness.inbox({ market: marketThatSpoils([first!.id], spoil) });
  await drain(inbox);
  await harness.world.sell(1);
  await drain(inbox);
  expect(await inbox.status()).toMatchObject({ gap: null, lastPollError: null });
  expect(harness.handled).toHaveLength(expected);
});

it('one among those that "now" skips lets no old delivery in', async () => {
  const { world } = harness;
  await world.sell(1);
  await world.time.advance(3_600_000);
  await world.sell(600);
  const [old, ...others] = await world.events();
  const market = marketThatSpoils([others.at(-1)!.id], undated);
  const inbox = harness.inbox({ market, startFrom: 'now' });
  await inbox.poll();
  expect(await harness.deliver(inbox, old!)).toBe(200);
  await drain(inbox);
  expect(harness.handled).toEqual([]);
});
