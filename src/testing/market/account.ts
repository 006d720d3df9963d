/** The records of one partner in one environment. */

import type { Environment } from '../credentials.js';
import { History } from './events.js';
import type {
  Sequenced,
  StoredQuote,
  StoredOrder,
  StoredCheckoutSession,
  EmulatorStatement,
  StoredPayout,
  StoredCase,
  StoredLink,
  StoredClick,
  EmulatorReferralSale,
  StoredCommission,
  StoredReferralPayout,
  StoredWebhook,
} from './records.js';

/** All that one partner has in one environment. Lists are oldest first. */
export class Account {
  readonly partnerId: string;
  readonly environment: Environment;
  readonly history: History;
  readonly orders: StoredOrder[] = [];
  readonly quotes = new Map<string, StoredQuote>();
  readonly sessions: StoredCheckoutSession[] = [];
  readonly statements: (EmulatorStatement & Sequenced)[] = [];
  readonly payouts: StoredPayout[] = [];
  readonly cases: StoredCase[] = [];
  readonly links: StoredLink[] = [];
  readonly clicks: StoredClick[] = [];
  readonly referralCheckouts: StoredClick[] = [];
  readonly referralSales: (EmulatorReferralSale & Sequenced)[] = [];
  readonly commissions: StoredCommission[] = [];
  readonly referralPayouts: StoredReferralPayout[] = [];
  webhook: StoredWebhook | undefined;
  /** End of the last settled period, in Unix milliseconds. */
  settledUntil: number;

  constructor(
    partnerId: string,
    environment: Environment,
    openedAt: number,
    historyRetentionMs: number,
  ) {
    this.partnerId = partnerId;
    this.environment = environment;
    this.settledUntil = openedAt;
    this.history = new History(historyRetentionMs);
  }
}
