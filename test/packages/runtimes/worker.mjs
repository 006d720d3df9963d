// A Cloudflare Worker with the packed package. A request's path names what it does; it responds with JSON.

import { MarketClient, NotFoundError } from 'market-partner-sdk';
import { createWebhookHandler, signWebhook, verifyWebhook } from 'market-partner-sdk/webhooks';

// Both as in the guides: made once, from variables and with the global fetch.
const market = new MarketClient({ fetch, random: () => 0 });
const handler = createWebhookHandler({ secret: 'whsec', onEvent: () => {}, onError: () => {} });
const reports = [];
const slowHandler = createWebhookHandler({
  secret: 'whsec',
  timeoutMs: 200,
  onEvent: async ({ id, data }, { signal }) => {
    signal.addEventListener('abort', () => reports.push(`signal of ${id}`));
    await new Promise((resolve) => setTimeout(resolve, data.ms));
  },
  onError: (error, { event }) => reports.push(`onError of ${event.id}`),
});

const event = { id: 'evt_1', type: 'order.settled', created_at: '2026-11-21T08:00:00Z' };

const tasks = {
  async webhooks() {
    const body = JSON.stringify({ ...event, data: {} });
    const status = async (text) => (await handler.fetch(signedRequest(body, text))).status;
    return {
      verified: verifyWebhook(body, signWebhook(body, 'whsec'), 'whsec').id,
      statuses: [await status(body), await status(`${body} `)],
    };
  },

  /** Answers a delivery whose listener takes a while. */
  async slow({ searchParams }) {
    const [id, ms] = ['id', 'ms'].map((name) => searchParams.get(name));
    const request = signedRequest(JSON.stringify({ ...event, id, data: { ms: Number(ms) } }));
    const { status } = await slowHandler.fetch(request);
    return { status, reports: reports.filter((each) => each.endsWith(` ${id}`)) };
  },

  async order({ searchParams }) {
    const input = { domain: searchParams.get('domain'), expected_price: 250_000, currency: 'USD' };
    const call = () => market.orders.create(input, { idempotencyKey: input.domain });
    const { data, response } = await call().withResponse();
    const { public_id } = await call();
    return { attempts: response.attempts, sameOrder: data.public_id === public_id };
  },

  async errors({ searchParams }) {
    const missing = await rejection(() => market.orders.get('ord_none'));
    const late = await rejection(() =>
      market.domains.checkAvailability('brew.example', { timeoutMs: 100, maxRetries: 0 }),
    );
    const controller = new AbortController();
    controller.abort(new Error('enough'));
    const { signal } = controller;
    const aborted = await rejection(() => market.orders.get('ord_1', { signal }));
    const nobody = market.withOptions({ baseUrl: searchParams.get('nobody'), maxRetries: 1 });
    const input = { domain: 'brew.example', expected_price: 250_000 };
    const offline = await rejection(() => nobody.orders.create(input));
    return {
      missing: [missing instanceof NotFoundError, missing.outcome],
      late: [late.name, late.outcome],
      aborted: [aborted.name, aborted.outcome],
      offline: [offline.name, offline.outcome, offline.attempts],
    };
  },

  async refusals() {
    const without = await rejection(() => new MarketClient());
    const proxy = await rejection(() => new MarketClient({ proxy: 'http://127.0.0.1:1' }));
    return { without: [without.name, without.message], proxy: [proxy.name, proxy.message] };
  },

  /** What one request of a Worker leaves must not hold another one: the client is shared. */
  check: async () => (await market.domains.checkAvailability('brew.example')).available,
};

/** A delivery of what was signed, or of another text with that signature. */
function signedRequest(signed, body = signed) {
  const headers = { 'x-market-signature': signWebhook(signed, 'whsec') };
  return new Request('http://shop.example/', { method: 'POST', headers, body });
}

async function rejection(action) {
  try {
    await action();
  } catch (error) {
    return error;
  }
  throw new Error('it was not refused');
}

export default {
  async fetch(request) {
    const url = new URL(request.url);
    try {
      return Response.json(await tasks[url.pathname.slice(1)](url));
    } catch (error) {
      return Response.json({ threw: error.stack }, { status: 500 });
    }
  },
};
