import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { caller } from './independent-signer.js';

const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8');

interface Call {
  /** Below `/_emulator/v1`. */
  readonly path: string;
  /** Absent for a GET. */
  readonly body: string | undefined;
}

/** `curl --json '{"times":1}' localhost:4010/_emulator/v1/faults/on` */
const curlLines: Call[] = [
  ...page.matchAll(/^curl (?:--json '(?<body>.*)' )?localhost:4010\/_emulator\/v1(?<path>\S+)$/gm),
].map(({ groups }) => ({ path: groups!.path!, body: groups!.body }));

/** `POST orders/PUBLIC_ID/hold|clear`: two calls, of which the second differs in the last part of the path. */
const tableLines: Call[] = [
  ...page.matchAll(/^(?<method>GET|POST) +(?<path>\S+)(?: (?<body>\{.*\}))?$/gm),
].flatMap(({ groups }) => {
  const { method, path = '', body = '{}' } = groups!;
  const [first = '', ...others] = path.split('|');
  const folder = first.slice(0, first.lastIndexOf('/') + 1);
  return [first, ...others.map((other) => `${folder}${other}`)].map((each) => ({
    path: `/${each}`,
    body: method === 'GET' ? undefined : body,
  }));
});

describe('the calls of docs/testing.md to the control API', () => {
  it('are all understood, in their order, with the ids of real records', async () => {
    const emulator = await MarketEmulator.start({
      control: true,
      saveState: () => Promise.resolve(),
    });
    const { keyId, secret } = emulator.createCredential();
    const call = caller(emulator, { ...emulator.createCredential(), keyId, secret });
    const place = async (domain: string) =>
      (await call('POST /orders', { body: { domain }, key: domain })).json.public_id;
    await call('PUT /api/partner/webhooks', { body: { url: 'http://127.0.0.1:9/', secret: 's' } });
    const { link_id } = (await call('POST /links', { body: { type: 'generic' } })).json;
    const sale = emulator.admin.recordReferralSale(link_id, {
      domain: 'y.example',
      amount_cents: 1,
    });
    const buyer = { tier: 'managed', buyer_email: 'a@b.example' };
    const ids: Record<string, () => string | undefined> = {
      PUBLIC_ID: () => publicId,
      OTHER_ID: () => otherId,
      CASE_ID: () => caseId,
      SESSION_ID: () => sessionId,
      LINK_ID: () => link_id,
      QUOTE_ID: () => quote_id,
      SALE_ID: () => sale.sale_id,
      EVENT_ID: () => emulator.events[0]?.id,
      REQUEST_ID: () => emulator.requests[0]?.requestId,
      FAULT_ID: () => emulator.faults.list()[0]?.id,
      KEY_ID: () => keyId,
      DOMAIN: () => 'espresso.example',
      SNAPSHOT: () => JSON.stringify(emulator.snapshot()),
    };
    const { quote_id } = (await call('POST /quotes', { body: { domain: 'garden.example' } })).json;
    const publicId = await place('brew.example');
    const otherId = await place('roast.example');
    const caseId = (await call('POST /brokerage', { body: buyer })).json.case_id;
    const session = { body: { domain: 'latte.example' } };
    const sessionId = (await call('POST /checkout-session', session)).json.session_id;

    expect(curlLines).not.toEqual([]);
    for (const { path, body } of [...tableLines, ...curlLines]) {
      const fill = (text: string) =>
        text.replace(/\b[A-Z]+(?:_ID)?\b/g, (name) => ids[name]?.() ?? name);
      const response = await fetch(`${emulator.baseUrl}/_emulator/v1${fill(path)}`, {
        ...(body === undefined ? {} : { method: 'POST', body: fill(body) }),
        headers: { 'content-type': 'application/json' },
      });
      expect(`${path} ${body ?? ''} ${await response.text()}`).toSatisfy(() => response.ok);
    }
    await emulator.stop();
  });

  it('name every route', async () => {
    const { routes } = await import('../../src/testing/control/routes.js');
    const shown = tableLines.map(({ path }) => path.replace(/\?.*/, ''));
    for (const { path } of routes) {
      const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[A-Z_]+')}$`);
      expect(shown.filter((each) => pattern.test(each))).not.toEqual([]);
    }
  });
});
