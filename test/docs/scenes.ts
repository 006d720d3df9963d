/**
 * What there is at the service when a page's programs start: the inventory, the orders, what goes
 * wrong and what the service's staff do. The docs show none of it.
 */

import type { MarketClient } from 'market-partner-sdk';
import { fault, type EmulatorOptions, type MarketEmulator } from 'market-partner-sdk/testing';

/** Names that a page writes, and what they are in this run: identifiers are given by the service. */
export type Placeholders = Readonly<Record<string, string>>;

export interface Scene {
  readonly options?: EmulatorOptions;
  readonly prepare?: (emulator: MarketEmulator, market: MarketClient) => Promise<Placeholders>;
}

/** The scene of a section, of its page, or the one of all. */
export function sceneOf(places: readonly [page: string, section: string]): Scene {
  const [page, section] = places;
  return scenes[section] ?? scenes[page] ?? ordinary;
}

/** One order, one case and one link, under the identifiers that the docs use. */
const ordinary: Scene = { prepare: (_emulator, market) => history(market) };

async function history(market: MarketClient): Promise<Placeholders> {
  const order = await market.orders.create({ domain: 'bank.example', expected_price: 62_000 });
  const opened = await market.brokerage.openCase({
    tier: 'managed',
    buyer_email: 'ada@buyer.example',
    domain: 'long-wanted.example',
  });
  const link = await market.referral.createLink({ type: 'generic' });
  const events = await market.events.list().toArray();
  return {
    ord_1001: order.public_id,
    case_1001: opened.case_id ?? '',
    lnk_1001: link.link_id ?? '',
    evt_1001: events[0]?.id ?? '',
  };
}

/** The staff start each transfer when its order is first read, and complete it at the next read. */
const staffAtWork: Scene = {
  prepare: async (emulator, market) => {
    deliverWhenRead(emulator);
    return history(market);
  },
};

function deliverWhenRead(emulator: MarketEmulator): void {
  emulator.faults.on(({ method, path }) => {
    const publicId = /\/orders\/(ord_\w+)$/.exec(path)?.[1];
    if (method === 'GET' && publicId !== undefined) moveOn(emulator, publicId);
    return false;
  }, fault.latency(0));
}

function moveOn(emulator: MarketEmulator, publicId: string): void {
  const { admin } = emulator;
  const steps = [() => admin.startTransfer(publicId), () => admin.completeTransfer(publicId)];
  steps.find((step) => {
    try {
      step();
      return true;
    } catch {
      // Not the step that is due.
      return false;
    }
  });
}

/** Something goes wrong, after the history was made. */
function trouble(cause: (faults: MarketEmulator['faults']) => void): Scene {
  return {
    prepare: async (emulator, market) => {
      const placeholders = await history(market);
      cause(emulator.faults);
      return placeholders;
    },
  };
}

/** The one order there is ends before its transfer. */
const cancelled: Scene = {
  prepare: async (emulator, market) => {
    const placeholders = await history(market);
    emulator.admin.cancel(placeholders.ord_1001 ?? '');
    return placeholders;
  },
};

const scenes: Readonly<Record<string, Scene>> = {
  'src/client/resources/orders.ts Orders.waitFor': staffAtWork,
  'src/client/resources/wait-for-order.ts WaitForOptions': staffAtWork,
  'src/client/errors/market-error.ts MarketError': trouble((faults) =>
    faults.on('POST /orders', fault.resetAfterWork()),
  ),
  'src/client/errors/api-error.ts ForbiddenError': trouble((faults) =>
    faults.on('GET /brokerage/eligibility', fault.status(403)),
  ),
  'src/client/errors/api-error.ts ConflictError': trouble((faults) =>
    faults.on('POST /orders', fault.status(409)),
  ),
  'src/client/errors/api-error.ts QuoteExpiredError': trouble((faults) =>
    faults.on('POST /orders', fault.status(422, { code: 'quote_expired' })),
  ),
  'src/client/errors/api-error.ts RateLimitError': trouble((faults) =>
    faults.on('GET /domains/search', fault.rateLimited(60)),
  ),
  'src/client/errors/api-error.ts InternalServerError': trouble((faults) =>
    faults.on('POST /orders', fault.internalError()),
  ),
  'src/client/errors/connection-error.ts ConnectionError': trouble((faults) =>
    faults.on('POST /refunds', fault.resetAfterWork()),
  ),
  'src/client/errors/unexpected-response-error.ts UnexpectedResponseError': trouble((faults) =>
    faults.on('GET /domains/search', fault.html(200)),
  ),
  'src/client/errors/order-not-reached-error.ts OrderNotReachedError': cancelled,
};
