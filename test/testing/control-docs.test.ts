import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { caller } from './independent-signer.js';

const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8');
const lines = [...page.matchAll(/^curl (?:--json '(?<body>.*)' )?localhost:4010(?<path>\S+)$/gm)];

/** Runs every curl line of docs/testing.md in its order, with the ids of real records. */
describe('the curl lines of docs/testing.md', () => {
  it('are all understood', async () => {
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
      SALE_ID: () => sale.sale_id,
      EVENT_ID: () => emulator.events[0]?.id,
      REQUEST_ID: () => emulator.requests[0]?.requestId,
      FAULT_ID: () => emulator.faults.list()[0]?.id,
      KEY_ID: () => keyId,
      DOMAIN: () => 'espresso.example',
      SNAPSHOT: () => JSON.stringify(emulator.snapshot()),
    };
    const publicId = await place('brew.example');
    const otherId = await place('roast.example');
    const caseId = (await call('POST /brokerage', { body: buyer })).json.case_id;
    const session = { body: { domain: 'latte.example' } };
    const sessionId = (await call('POST /checkout-session', session)).json.session_id;

    expect(lines.length).toBeGreaterThan(50);
    for (const { groups } of lines) {
      const fill = (text: string) =>
        text.replace(/\b[A-Z]+(?:_ID)?\b/g, (name) => ids[name]?.() ?? name);
      const { body, path } = groups as { body?: string; path: string };
      const response = await fetch(`${emulator.baseUrl}${fill(path)}`, {
        ...(body === undefined ? {} : { method: 'POST', body: fill(body) }),
        headers: { 'content-type': 'application/json' },
      });
      expect(`${path} ${body ?? ''} ${await response.text()}`).toSatisfy(() => response.ok);
    }
    await emulator.stop();
  });

  it('name every route', async () => {
    const { routes } = await import('../../src/testing/control/routes.js');
    const shown = lines.map(({ groups }) => groups!.path!.replace(/\?.*/, ''));
    for (const { path } of routes) {
      const pattern = new RegExp(`^/_emulator/v1${path.replace(/\{\w+\}/g, '[A-Z_]+')}$`);
      expect(shown.filter((each) => pattern.test(each))).not.toEqual([]);
    }
  });
});

describe('the Python program of docs/testing.md', () => {
  it('drives an emulator', async ({ skip }) => {
    const run = promisify(execFile);
    const hasPython = await run('python3', ['--version']).then(
      () => true,
      () => false,
    );
    if (!hasPython) skip('there is no python3');
    const [, program] = /```text\n(import json\n.*?)```/s.exec(page) ?? [];
    const emulator = await MarketEmulator.start({ control: true });
    const { stdout } = await run('python3', ['-c', program!], {
      env: { ...process.env, MARKET_BASE_URL: emulator.baseUrl, no_proxy: '127.0.0.1' },
    });
    expect(stdout).toBe('order.settled [1]\n');
    await emulator.stop();
  });
});
