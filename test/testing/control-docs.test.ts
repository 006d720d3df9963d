import { expect, it } from 'vitest';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { pages } from '../docs/pages.js';
import { caller } from './independent-signer.js';

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
  const call = caller(emulator, emulator.createCredential());
  const buyer = { tier: 'managed', buyer_email: 'a@b.example' };
  const { case_id } = (await call('POST /brokerage', { body: buyer })).json;

  expect(calls.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/faults/on', '/cases/case_…/closeCase']),
  );
  for (const { path, body } of calls) {
    const url = `${emulator.baseUrl}/_emulator/v1${path.replace('case_…', case_id)}`;
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, body === undefined ? {} : { method: 'POST', headers, body });
    expect(`${path} ${body ?? ''} ${await response.text()}`).toSatisfy(() => response.ok);
  }
  await emulator.stop();
});
