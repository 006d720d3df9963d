/** The state of the market as plain data. */

import type { Environment } from '../credentials.js';
import type { Account } from './account.js';
import type { EmulatorEvent } from './events.js';
import type { EmulatorListing, StoredQuote } from './records.js';

const recordLists = [
  'orders',
  'sessions',
  'statements',
  'payouts',
  'cases',
  'links',
  'clicks',
  'referralCheckouts',
  'referralSales',
  'commissions',
  'referralPayouts',
] as const;

/** One account without its history. */
type AccountSnapshot = Pick<
  Account,
  (typeof recordLists)[number] | 'partnerId' | 'environment' | 'settledUntil'
> & {
  readonly webhook: Account['webhook'] | null;
  readonly quotes: readonly StoredQuote[];
};

/** The market: what {@link Market.snapshot} returns. */
export interface MarketSnapshot {
  readonly accounts: readonly AccountSnapshot[];
  readonly events: readonly {
    readonly event: EmulatorEvent;
    readonly environment: Environment;
    readonly visibleAt: number;
  }[];
  readonly inventories: readonly {
    readonly environment: Environment;
    readonly listings: readonly EmulatorListing[];
  }[];
  readonly activeSites: readonly string[];
  readonly ordersToHold: number;
  /** Absent in snapshots of earlier releases. */
  readonly refundsToHold?: number;
  readonly sales: number;
  /** How many events there were; absent in snapshots of earlier releases. */
  readonly eventCount?: number;
  /** The key of checkout and progress links, base64. */
  readonly tokenKey: string;
}

export function snapshotAccount(account: Account): AccountSnapshot {
  const { partnerId, environment, settledUntil, webhook } = account;
  const lists = Object.fromEntries(recordLists.map((name) => [name, account[name]]));
  return {
    partnerId,
    environment,
    settledUntil,
    webhook: webhook ?? null,
    quotes: [...account.quotes.values()],
    ...(lists as Pick<Account, (typeof recordLists)[number]>),
  };
}

/** Fills a new account. */
export function restoreAccount(account: Account, snapshot: AccountSnapshot): void {
  for (const name of recordLists) {
    // Each list gets the records of its own name.
    (account[name] as unknown[]).push(...snapshot[name]);
  }
  for (const quote of snapshot.quotes) account.quotes.set(quote.quote_id, quote);
  account.webhook = snapshot.webhook ?? undefined;
  account.settledUntil = snapshot.settledUntil;
}
