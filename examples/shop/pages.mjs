// The buyer's pages, written on the server, and what every page is made of.

import { displayDomain, formatAmount } from 'market-partner-sdk';

class Markup extends String {}
const render = (value) => {
  if (Array.isArray(value)) return value.map(render).join('');
  if (value instanceof Markup) return value;
  return String(value ?? '').replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt()};`);
};
/** A tag that escapes what comes from outside. */
export const markup = ({ raw }, ...values) =>
  new Markup(String.raw({ raw }, ...values.map(render)));

export const style = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #444); --accent: light-dark(#1d4ed8, #9db8ff); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: auto; padding: 1rem; }
ul, ol { padding: 0; list-style: none; }
li { padding: .75rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.row { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
.row > b, .row > input { flex: 1; min-width: 0; }
input, button { font: inherit; padding: .5rem .9rem; border: 1px solid var(--line); border-radius: .5rem; }
button { color: light-dark(#fff, #111); background: var(--accent); border-color: transparent; cursor: pointer; }
ol li::before { content: '○ '; } ol li.done::before { content: '● '; color: var(--accent); }
ol li:not(.done), small, dt { color: light-dark(#666, #aaa); }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; margin: .25rem 0 .75rem; }
dd { margin: 0; min-width: 0; }
.bad { color: light-dark(#b91c1c, #fca5a5); }`;

/** In the browser: a sale's page follows the sale. While the shop is down it stays as it is. */
export const script = `
const live = document.querySelector('[data-live]');
if (live !== null) setInterval(async () => {
  const response = await fetch(live.dataset.live);
  if (response.ok) live.innerHTML = await response.text();
}, 1_000);`;

// A label that mixes scripts can look like another name: it is shown in ASCII.
export const name = (domain) => {
  if (domain === null) return 'A payment of no checkout';
  const { ascii, unicode, mixedScripts } = displayDomain(domain);
  return mixedScripts.length > 0 ? ascii : unicode;
};
export const amount = ({ price, currency }) =>
  price === null || currency === null ? 'another amount' : formatAmount(price, currency, 'en');

/** A tag for a whole page. */
export const page = (...content) =>
  `${markup`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Name Shop</title>
<link rel="stylesheet" href="/style.css">
<script type="module" src="/script.js"></script>
<header><a href="/">Name Shop</a></header>
<main>${markup(...content)}</main>
</html>`}`;

const result = ({ domain, price_cents: price, currency }) => markup`
  <li><form class="row" method="post" action="/checkout">
    <b>${name(domain)}</b> ${amount({ price, currency })}
    <button name="domain" value="${domain}">Buy</button>
  </form></li>`;

export const searchPage = (query, found) =>
  page`
  <h1>Find a name</h1>
  <form class="row"><input name="q" value="${query}" placeholder="coffee shop" aria-label="Words">
  <button>Search</button></form>
  <ul>${found.map(result)}</ul>
  ${query && found.length === 0 ? markup`<p>Nothing is for sale for these words.</p>` : ''}`;

export const checkoutPage = (quote) =>
  page`
  <h1>${name(quote.domain)}</h1>
  <p>${amount(quote)}</p>
  <p>Reserved for you at this price for ten minutes.</p>
  <form method="post"><button>Pay ${amount(quote)}</button></form>
  <p><small>A test payment: no card is charged.</small></p>`;

const steps = {
  EXTERNALLY_PAID: 'Ordered',
  TRANSFER_IN_PROGRESS: 'On its way to you',
  TRANSFER_COMPLETED: 'Delivered',
  SETTLED: 'Settled',
};

/** The part of a sale's page that changes. */
export function saleFragment({ outcome, status, paid_back_at: paidBackAt }) {
  if (outcome === 'refused') {
    const what = paidBackAt ? 'You were paid back.' : 'You will be paid back.';
    return markup`<p class="bad">We could not get this name for you. ${what}</p>`;
  }
  // An order that is held, or of which no event is known yet, is an order.
  const known = Object.keys(steps).indexOf(status);
  const reached = outcome === 'placed' ? Math.max(known, 0) : -1;
  const labels = ['Paid', ...Object.values(steps)];
  const item = (label, at) => markup`<li class="${at <= reached + 1 ? 'done' : ''}">${label}</li>`;
  return markup`<ol>${labels.map(item)}</ol>`;
}

export const salePage = (sale) =>
  page`
  <h1>${name(sale.domain)}</h1>
  <p>${amount(sale)}</p>
  <div data-live="/sales/${sale.payment}/live">${saleFragment(sale)}</div>
  <p><small>${sale.payment}. This page follows your order.</small></p>`;
