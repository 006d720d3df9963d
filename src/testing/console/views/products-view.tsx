/** ProductsView: hosted checkouts, brokerage cases and tracking links, each with what may become of it. */

import type { ComponentChildren } from 'preact';
import { formatDuration, formatPrice } from '../format.js';
import { checkoutState, targetOf } from '../products.js';
import { isMatch } from '../search.js';
import { List, Row, State } from './controls.js';
import { Settle } from './orders-view.js';
import { CaseDetails, CheckoutDetails, LinkDetails } from './product-details.js';
import { Split } from './split.js';
import type { ViewProps } from './view-props.js';

export function ProductsView(props: ViewProps) {
  const { state, emulator, commands } = props;
  const { id } = state.route;
  const session = emulator.sessions.find(({ session_id }) => session_id === id);
  const brokerage = emulator.cases.find(({ case_id }) => case_id === id);
  const link = emulator.links.find(({ link_id }) => link_id === id);
  const shown = session ?? brokerage ?? link;
  return (
    <>
      <Settle commands={commands} />
      <Split
        tab="products"
        label="Other products"
        list={<ProductLists {...props} />}
        title={shown && targetOf(shown)}
        details={
          <>
            {session && <CheckoutDetails {...props} session={session} />}
            {brokerage && <CaseDetails {...props} brokerage={brokerage} />}
            {link && <LinkDetails {...props} link={link} />}
          </>
        }
      />
    </>
  );
}

function ProductLists({ state: { search }, emulator }: ViewProps) {
  const found = <Item extends object>(items: readonly Item[]) =>
    items.filter((item) => isMatch(item, search)).reverse();
  const [sessions, cases, links] = [
    found(emulator.sessions),
    found(emulator.cases),
    found(emulator.links),
  ];
  if (sessions.length + cases.length + links.length === 0) {
    return (
      <p class="empty">
        {search === ''
          ? 'No hosted checkout, brokerage case or tracking link yet.'
          : 'Nothing was found.'}
      </p>
    );
  }
  return (
    <>
      <Products
        title="Hosted checkouts"
        columns={['Domain', 'State', 'Price', 'Time left', 'Checkout']}
      >
        {sessions.map((session) => {
          const { session_id, price_cents, currency, expires_in_ms } = session;
          const name = checkoutState(session);
          return (
            <Product key={session_id} id={session_id} item={session}>
              <State name={name} />
              <span class="number">{formatPrice(price_cents, currency)}</span>
              <span>{name === 'open' && formatDuration(expires_in_ms)}</span>
            </Product>
          );
        })}
      </Products>
      <Products title="Brokerage cases" columns={['Domain', 'Status', 'Price', 'Buyer', 'Case']}>
        {cases.map((brokerage) => {
          const { case_id, status, price_cents, buyer_email } = brokerage;
          return (
            <Product key={case_id} id={case_id} item={brokerage}>
              <State name={status} />
              <span class="number">
                {price_cents !== undefined && formatPrice(price_cents, 'USD')}
              </span>
              <span>{buyer_email}</span>
            </Product>
          );
        })}
      </Products>
      <Products title="Tracking links" columns={['Target', 'Type', 'Clicks', 'Sales', 'Link']}>
        {links.map((link) => (
          <Product key={link.link_id} id={link.link_id} item={link}>
            <span>{link.type}</span>
            <span class="number">{count(link.clicks, 'click')}</span>
            <span>{count(link.sales, 'sale')}</span>
          </Product>
        ))}
      </Products>
    </>
  );
}

interface ProductsProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly children: readonly ComponentChildren[];
}

function Products({ title, columns, children }: ProductsProps) {
  if (children.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <List kind="product" columns={columns}>
        {children}
      </List>
    </>
  );
}

interface ProductProps {
  readonly id: string;
  readonly item: Parameters<typeof targetOf>[0];
  readonly children: ComponentChildren;
}

function Product({ id, item, children }: ProductProps) {
  return (
    <li>
      <Row kind="product" id={id}>
        <b>{targetOf(item)}</b>
        {children}
        <span class="muted">{id}</span>
      </Row>
    </li>
  );
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}
