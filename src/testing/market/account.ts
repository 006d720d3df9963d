/** The records of one partner in one environment. */

import type { Environment } from '../credentials.js';
import { History } from './events.js';
import type {
  Sequenced,
  Quote,
  Order,
  CheckoutSession,
  EmulatorStatement,
  Payout,
  BrokerageCase,
  Link,
  Click,
  EmulatorReferralSale,
  Commission,
  ReferralPayout,
  WebhookRegistration,
} from './records.js';

/** All that one partner has in one environment. Lists are oldest first. */
export class Account {
  readonly partnerId: string;
  readonly environment: Environment;
  readonly history: History;
  readonly orders: Order[] = [];
  readonly quotes = new Map<string, Quote>();
  readonly sessions: CheckoutSession[] = [];
  readonly statements: (EmulatorStatement & Sequenced)[] = [];
  readonly payouts: Payout[] = [];
  readonly cases: BrokerageCase[] = [];
  readonly links: Link[] = [];
  readonly clicks: Click[] = [];
  readonly referralCheckouts: Click[] = [];
  readonly referralSales: (EmulatorReferralSale & Sequenced)[] = [];
  readonly commissions: Commission[] = [];
  readonly referralPayouts: ReferralPayout[] = [];
  webhook: WebhookRegistration | undefined;
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
