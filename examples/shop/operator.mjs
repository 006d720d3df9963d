// The operator's page, and what its buttons do.

import { Hono } from 'hono';
import { amount, markup, name, page } from './pages.mjs';

const firstLine = (text) => text.split('\n')[0];
const field = ([key, value]) => markup`<input type="hidden" name="${key}" value="${value}">`;
const button = (action, fields, label) => markup`
  <form method="post" action="/operator/${action}">
    ${Object.entries(fields).map(field)} <button>${label}</button>
  </form>`;
const list = (rows) =>
  rows.length > 0 ? markup`<ul>${rows.map((row) => markup`<li>${row}</li>`)}</ul>` : 'None.';

function decision({ key, order, refusal, attention }, sale) {
  const { reason, message, candidates } = attention;
  // Such an outcome is certain; the shop failed to write it.
  const isCertain = reason === 'handler_failed';
  const missing = refusal ? 'There is no order.' : 'An order may exist: do not pay back yet.';
  const ours = ({ public_id: id, external_payment_ref: reference = 'none' }) =>
    button('resolve', { key, placed: id }, `It is ${id}, reference: ${reference}`);
  const next = isCertain
    ? 'Remove the cause, then try again: nothing is ordered by that.'
    : `Look for an order of ${sale.domain} with the reference ${key} at the marketplace, then say what you found.`;
  const none = button('resolve', { key, refused: 'by an operator' }, 'There is no order: pay back');
  return markup`
  <b>${name(sale.domain)}</b>
  <dl><dt>Key<dd>${key}
  <dt>Why<dd>${reason}: ${firstLine(message)}
  <dt>Money<dd>The buyer paid ${amount(sale)}, and nothing was paid back.
    ${order ? `The order ${order.public_id} exists.` : missing}
  <dt>Next<dd>${next}</dl>
  <div class="row">${candidates.map(ours)} ${isCertain ? '' : none}
    ${button('resolve', { key }, 'Try again with this key')}</div>`;
}

const debt = (sale) => markup`
  <b>${name(sale.domain)}</b>
  <dl><dt>Key<dd>${sale.payment}
  <dt>Why<dd>${sale.order_id ? `The order ${sale.order_id} was taken back.` : sale.reason}
  <dt>Money<dd>The buyer paid ${amount(sale)}, and nothing was paid back.
  <dt>Next<dd>Pay it back at your payment provider, then say so here.</dl>
  ${button('paid-back', { payment: sale.payment }, 'I have paid it back')}`;

const deadLetter = ({ id, attempts, error, event: { type, data } }, sale) => markup`
  <b>${name(data.order.domain)}</b>
  <dl><dt>Key<dd>${sale?.payment ?? 'No sale here has this order.'}
  <dt>Event<dd>${type} ${id}
  <dt>Why<dd>${attempts} attempts failed: ${firstLine(error)}
  <dt>Money<dd>The order ${data.order.public_id} is ${data.order.status}.
    ${type === 'order.refunded' ? 'Once this is handled, the buyer is listed to be paid back.' : 'Nothing is to be paid back.'}
  <dt>Next<dd>Remove the cause, then handle it again. The order's later events wait for it.</dl>
  ${button('retry', { id }, 'Handle again')}`;

const agreement = ({ at, agreed, sales, findings }) => markup`
  <p>${agreed} of ${sales} sales agree (${at}); those of the last 15 minutes come later.</p>
  ${list(findings.map(({ message, nextStep }) => `${message} ${nextStep}`))}`;

export function operatorRoutes(sales) {
  const { outbox, inbox, findSale, findSaleOf } = sales;
  const app = new Hono();
  app.get('/', async (c) => {
    const [orders, events] = [await outbox.status(), await inbox.status()];
    const open = orders.waiting + orders.placing + orders.unreported;
    const attention = await outbox.list({ state: 'attention' });
    const decisions = attention.map(async (it) => decision(it, await findSale(it.key)));
    const dead = await inbox.deadLetters();
    const letters = dead.map(async (it) => deadLetter(it, await findSaleOf(it.event.data.order)));
    const troubles = [orders.paused, events.paused, events.lastPollError];
    return c.html(page`
      <h1>Operator</h1>
      <p>${open} orders and ${events.waiting} events under way.</p>
      <p class="bad">${troubles.filter(Boolean).join(' ')}</p>
      <h2>Sales to decide</h2> ${list(await Promise.all(decisions))}
      <h2>Buyers to pay back</h2> ${list((await sales.toPayBack()).map(debt))}
      <h2>Dead letters</h2> ${list(await Promise.all(letters))}
      <h2>Books</h2> ${sales.comparison && agreement(sales.comparison)}
      ${button('compare', {}, 'Compare now')}`);
  });
  const actions = {
    resolve: ({ key, placed, refused }) =>
      outbox.resolve(key, placed ? { placed } : refused ? { refused } : 'retry'),
    retry: ({ id }) => inbox.retry(id),
    'paid-back': ({ payment }) => sales.markPaidBack(payment),
    compare: () => sales.reconcile(),
  };
  for (const [path, act] of Object.entries(actions)) {
    app.post(`/${path}`, async (c) => {
      await act(await c.req.parseBody());
      return c.redirect('/operator', 303);
    });
  }
  return app;
}
