/** The details of a hosted checkout, a brokerage case and a tracking link, with what buyers and staff do. */

import type { ComponentChildren } from 'preact';
import { formatDateTime, formatPrice } from '../format.js';
import { checkoutState, type CaseView, type LinkView, type SessionView } from '../products.js';
import { Button, State } from './controls.js';
import { Facts } from './facts.js';
import { Field, Form } from './form.js';
import { Timeline } from './timeline.js';
import type { ViewProps } from './view-props.js';

type Details<Item> = Pick<ViewProps, 'commands'> & Item;

export function CheckoutDetails({ session, commands }: Details<{ readonly session: SessionView }>) {
  const { session_id, price_cents, currency, expires_at, checkout_url } = session;
  const name = checkoutState(session);
  return (
    <>
      <p class="buttons">
        <Button
          whyDisabled={name === 'open' ? undefined : `The checkout is ${name}`}
          onPress={() => commands.act([`/sessions/${session_id}/payCheckout`])}
        >
          Pay
        </Button>
        <Outside href={checkout_url}>Open its page</Outside>
      </p>
      <Facts
        facts={[
          ['State', <State key="state" name={name} />],
          ['Price', formatPrice(price_cents, currency)],
          ['Checkout', session_id],
          ['Expires', `${formatDateTime(expires_at)} UTC`],
          ['After Pay', session.return_url],
          ['After Cancel', session.cancel_url],
          ['Partner', `${session.partner_id}, ${session.environment}`],
        ]}
      />
    </>
  );
}

export function CaseDetails({ brokerage, commands }: Details<{ readonly brokerage: CaseView }>) {
  const { case_id, status, outcome, price_cents, timeline } = brokerage;
  const path = `/cases/${case_id}/closeCase`;
  return (
    <>
      {status === 'OPEN' && (
        <Form
          class="line"
          label="Close the case"
          onSend={({ cents = '' }) =>
            commands.act([path, cents === '' ? {} : { price_cents: Number(cents) }])
          }
        >
          <Cents label="Price in minor units, if known" placeholder="420000" />
          <button type="submit">Close with a deal</button>
          <Button isDanger onPress={() => commands.act([path, { outcome: 'no_deal' }])}>
            Close without a deal
          </Button>
        </Form>
      )}
      <Facts
        facts={[
          ['Status', <State key="status" name={status} />],
          ['Outcome', outcome === 'no_deal' ? 'no deal' : outcome],
          ['Price', price_cents !== undefined && formatPrice(price_cents, 'USD')],
          ['Case', case_id],
          ['Tier', brokerage.tier],
          ['Buyer', brokerage.buyer_email],
          ['Budget', brokerage.budget],
          [
            "Buyer's page",
            <Outside key="page" href={brokerage.progress_url}>
              Open the progress
            </Outside>,
          ],
          ['Partner', `${brokerage.partner_id}, ${brokerage.environment}`],
        ]}
      />
      <h3>Timeline</h3>
      <Timeline entries={timeline} />
    </>
  );
}

export function LinkDetails({ link, commands }: Details<{ readonly link: LinkView }>) {
  const { link_id, domain } = link;
  const path = `/links/${link_id}`;
  return (
    <>
      <p class="buttons">
        <Button onPress={() => commands.act([`${path}/recordReferralClick`])}>Click</Button>
        <Button onPress={() => commands.act([`${path}/recordReferralCheckout`])}>
          Begin a checkout
        </Button>
      </p>
      <Form
        class="line"
        label="Sell through the link"
        onSend={({ cents, domain: sold }) => {
          const sale = { domain: sold, amount_cents: Number(cents) };
          return commands.act([`${path}/recordReferralSale`, sale]);
        }}
      >
        <Field label="Domain">
          <input name="domain" defaultValue={domain ?? 'brew.example'} required />
        </Field>
        <Cents label="Price in minor units" defaultValue="250000" required />
        <button type="submit">Sell</button>
      </Form>
      <Facts
        facts={[
          ['Type', link.type],
          ['Product', link.product],
          ['Clicks', String(link.clicks)],
          ['Sales', String(link.sales)],
          ['Link', link_id],
          [
            'URL',
            <Outside key="url" href={link.url}>
              {link.url}
            </Outside>,
          ],
          ['Created', `${formatDateTime(link.created_at)} UTC`],
          ['Partner', `${link.partner_id}, ${link.environment}`],
        ]}
      />
    </>
  );
}

interface CentsProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly defaultValue?: string;
  readonly required?: boolean;
}

function Cents({ label, ...props }: CentsProps) {
  return (
    <Field label={label}>
      <input name="cents" type="number" min="0" {...props} />
    </Field>
  );
}

interface OutsideProps {
  readonly href: string;
  readonly children: ComponentChildren;
}

/** A page of the marketplace, in a tab of its own. */
function Outside({ href, children }: OutsideProps) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
