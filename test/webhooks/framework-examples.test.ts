import { createServer } from 'node:http';
import type Express from 'express';
import { describe, expect, it, vi } from 'vitest';
import { eventJson, SECRET, signedHeaders } from './deliveries.js';
import { listen } from '../support/loopback.js';
import { frameworkExamples, freshExamples } from './framework-examples.js';

const booked = vi.hoisted(() => vi.fn<(order: { public_id: string }) => Promise<void>>());
vi.mock('../../examples/webhooks/settlements.js', () => ({ bookSettlement: booked }));

freshExamples(SECRET, booked);

async function deliver(url: string, body: string, headers: Record<string, string>) {
  const response = await fetch(`${url}/webhooks/market`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

describe.each(Object.entries(frameworkExamples))('the example for %s', (_name, start) => {
  const body = eventJson({ note: 'Zoë ☕' });

  it('runs the handler of a signed delivery and answers 200', async () => {
    const url = await start();
    expect(await deliver(url, body, signedHeaders(body))).toEqual({ status: 200, text: 'OK' });
    expect(booked.mock.calls).toMatchObject([[{ public_id: 'ord_1' }]]);
  });

  it('verifies the bytes as sent, pretty printed and with a newline at the end', async () => {
    const url = await start();
    const pretty = `${JSON.stringify(JSON.parse(body), null, 2)}\n`;
    expect((await deliver(url, pretty, signedHeaders(pretty))).status).toBe(200);
  });

  it('answers 401 to a forged delivery and runs nothing', async () => {
    const url = await start();
    const forged = await deliver(url, body, signedHeaders(body, 'whsec_forged'));
    expect(forged).toEqual({ status: 401, text: 'Unauthorized' });
    expect((await deliver(url, body, { 'content-type': 'application/json' })).status).toBe(401);
    expect(booked).not.toHaveBeenCalled();
  });

  it('answers 413 to an oversized delivery, though it is signed', async () => {
    const url = await start();
    const large = eventJson({ note: 'x'.repeat(2 * 1024 * 1024) });
    expect((await deliver(url, large, signedHeaders(large))).status).toBe(413);
    expect(booked).not.toHaveBeenCalled();
  });
});

describe('the usual mistake', () => {
  it.each([
    ['Express 5', async () => (await import('express')).default],
    // The same calls; only the types of the two differ.
    ['Express 4', async () => (await import('express4')).default as unknown as typeof Express],
  ])(
    'of %s, express.json() before the route, is answered 500 at once and explained',
    async (_name, load) => {
      const { marketWebhooks } = await import('../../examples/webhooks/market-webhooks.js');
      const express = await load();
      const app = express();
      app.use(express.json());
      app.post('/webhooks/market', marketWebhooks.node);
      const url = await listen(createServer(app));
      const body = eventJson();
      expect((await deliver(url, body, signedHeaders(body))).status).toBe(500);
      expect(String(vi.mocked(console.error).mock.calls[0]?.[1])).toMatch(/express\.raw/);
    },
  );

  it('is none with express.raw(), which keeps the bytes', async () => {
    const { marketWebhooks } = await import('../../examples/webhooks/market-webhooks.js');
    const express = (await import('express')).default;
    const app = express();
    app.post('/webhooks/market', express.raw({ type: '*/*' }), marketWebhooks.node);
    const url = await listen(createServer(app));
    const body = eventJson();
    expect((await deliver(url, body, signedHeaders(body))).status).toBe(200);
  });
});
