/** What the snippets call of Stripe, which no test needs to be installed. */

interface Session {
  readonly id: string;
  readonly url: string | null;
  readonly payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  readonly payment_intent: string | object | null;
  readonly amount_total: number | null;
  readonly currency: string | null;
}

type CheckoutEvent = 'checkout.session.completed' | 'checkout.session.async_payment_succeeded';
type StripeEvent =
  | { readonly type: CheckoutEvent; readonly data: { readonly object: Session } }
  | { readonly type: 'payment_intent.succeeded'; readonly data: { readonly object: object } };

declare class Stripe {
  constructor(secretKey: string);
  readonly checkout: { readonly sessions: { create(input: object): Promise<Session> } };
  readonly refunds: {
    create(input: { payment_intent: string }, options: { idempotencyKey: string }): Promise<object>;
  };
  readonly webhooks: {
    constructEvent(body: string | Buffer, signature: string, secret: string): StripeEvent;
  };
}

declare namespace Stripe {
  namespace Checkout {
    export type { Session };
  }
}

export default Stripe;
