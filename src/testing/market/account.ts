import type { Environment } from '../credentials.js';
import type { BrokerageCase } from './brokerage.js';
import type { CheckoutSession } from './checkout.js';
import { History } from './events.js';
import type { Order } from './orders.js';
import type { Quote } from './quotes.js';
import type { Click, Commission, Link, ReferralPayout, ReferralSale } from './referral.js';
import type { Payout, Statement } from './settlement.js';

/** Where events are delivered (specification, 4.7). */
export interface WebhookRegistration {
  readonly url: string;
  readonly secret: string;
  readonly active: boolean;
  readonly created_at: string;
}

/** All that one partner has in one environment. Lists are oldest first. */
export class Account {
  readonly partnerId: string;
  readonly environment: Environment;
  readonly history = new History();
  readonly orders: Order[] = [];
  readonly quotes = new Map<string, Quote>();
  readonly sessions: CheckoutSession[] = [];
  readonly statements: Statement[] = [];
  readonly payouts: Payout[] = [];
  readonly cases: BrokerageCase[] = [];
  readonly links: Link[] = [];
  readonly clicks: Click[] = [];
  readonly referralCheckouts: Click[] = [];
  readonly referralSales: ReferralSale[] = [];
  readonly commissions: Commission[] = [];
  readonly referralPayouts: ReferralPayout[] = [];
  webhook: WebhookRegistration | undefined;
  /** Until when statements have been made. */
  settledUntil: number;

  constructor(partnerId: string, environment: Environment, openedAt: number) {
    this.partnerId = partnerId;
    this.environment = environment;
    this.settledUntil = openedAt;
  }
}
