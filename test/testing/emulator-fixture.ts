import { afterEach, beforeEach } from 'vitest';
import {
  MarketEmulator,
  type CredentialOptions,
  type EmulatorOptions,
} from 'market-partner-sdk/testing';
import { caller, type Reply } from './independent-signer.js';

/** A Thursday in November 2026; no test depends on the day on which it runs. */
export const startOfTime = Date.parse('2026-11-19T10:00:00Z');

/** An emulator for each test, on a clock that stands still until it is moved. */
export function freshEmulator(options: EmulatorOptions = {}) {
  let emulator: MarketEmulator;
  beforeEach(async () => {
    emulator = await MarketEmulator.start({ clock: () => startOfTime, ...options });
  });
  afterEach(() => emulator.stop());

  const call = (what: string, rest?: Parameters<ReturnType<typeof caller>>[1]) =>
    as({ partnerId: 'prt_1' })(what, rest);
  const as = (credential: CredentialOptions) =>
    caller(emulator, emulator.createCredential(credential));
  let orders = 0;
  const order = async (domain = 'brew.example', fields: object = {}): Promise<Reply> =>
    call('POST /orders', { body: { domain, ...fields }, key: `key-${(orders += 1)}` });

  const delivered = async (domain?: string): Promise<string> => {
    const { public_id } = (await order(domain)).json;
    emulator.admin.startTransfer(public_id);
    emulator.admin.completeTransfer(public_id);
    return public_id;
  };

  return {
    get emulator() {
      return emulator;
    },
    /** Calls with a credential of every scope. */
    call,
    /** Calls with a credential as described. */
    as,
    /** The answer to a POST of this body. */
    post: (path: string, body: unknown) => call(`POST ${path}`, { body: body as object }),
    /** Records an order of a listed domain; its answer. */
    order,
    /** Records an order, and delivers it; its id. */
    delivered,
  };
}
