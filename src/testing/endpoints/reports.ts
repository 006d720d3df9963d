/** Specification, 4.4 without refunds. */

import { totalsOf, transactionsOf } from '../market/settlement.js';
import { listed, type EndpointCall, type Endpoint } from './endpoint.js';
import { page } from './pages.js';
import { dateRange } from './orders.js';

export const reportEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/settlements', scopes: ['buy'], run: listSettlements },
  { method: 'GET', path: '/transactions', scopes: ['report'], run: listTransactions },
  { method: 'GET', path: '/payouts', scopes: ['report'], run: listPayouts },
];

function listSettlements({ account, query }: EndpointCall) {
  return listed(
    page(query, {
      name: 'settlements',
      oldestFirst: account.statements,
      order: 'newest first',
    }),
  );
}

function listTransactions({ account, query }: EndpointCall) {
  const status = query.text('status');
  const paymentModel = query.text('payment_model');
  const isIn = dateRange(query);
  const oldestFirst = transactionsOf(account).filter(
    (transaction) =>
      (status === undefined || transaction.status === status) &&
      (paymentModel === undefined || transaction.payment_model === paymentModel) &&
      isIn(Date.parse(transaction.created_at)),
  );
  const extra = { totals: totalsOf(oldestFirst) };
  return listed(page(query, { name: 'transactions', oldestFirst, order: 'newest first', extra }));
}

function listPayouts({ account, query }: EndpointCall) {
  return listed(
    page(query, { name: 'payouts', oldestFirst: account.payouts, order: 'newest first' }),
  );
}
