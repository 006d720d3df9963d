import { expect, it } from 'vitest';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { pages } from '../docs/pages.js';

/** `curl --json '{"times":1}' localhost:4010/_emulator/v1/faults/on`, on a line of its own or in a sentence. */
const calls = pages.flatMap(({ text }) =>
  [
    ...text.matchAll(
      /curl\s(?:--json '(?<body>.*)' )?localhost:4010\/_emulator\/v1(?<path>[^\s`]+)/g,
    ),
  ].map(({ groups }) => ({ path: groups!.path!, body: groups!.body })),
);

it('the calls of the guides to the control API are all understood', async () => {
  const emulator = await MarketEmulator.start({ control: true });
  expect(calls.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/faults/on', '/requests?limit=10']),
  );
  for (const { path, body } of calls) {
    const url = `${emulator.baseUrl}/_emulator/v1${path}`;
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, body === undefined ? {} : { method: 'POST', headers, body });
    expect(`${path} ${body ?? ''} ${await response.text()}`).toSatisfy(() => response.ok);
  }
  await emulator.stop();
});
