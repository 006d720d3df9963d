/** Specification, 4.4 without refunds. */

import { optional, text } from '../../core/schema/options.js';
import { totalsOf, transactionsOf } from '../market/settlement.js';
import { endpoint, listed, type Endpoint } from './endpoint.js';
import { dateRange, pageFields, rangeFields } from './input.js';
import { page } from './pages.js';

const transactionFilters = () => ({
  status: optional(text()),
  payment_model: optional(text()),
  ...rangeFields(),
  ...pageFields(),
});

export const reportEndpoints: readonly Endpoint[] = [
  endpoint('GET /settlements', { scopes: ['buy'] }, pageFields, ({ account, input }) =>
    listed(page(input, { name: 'settlements', oldestFirst: account.statements })),
  ),
  endpoint(
    'GET /transactions',
    { scopes: ['report'] },
    transactionFilters,
    ({ account, input }) => {
      const { status, payment_model } = input;
      const isIn = dateRange(input);
      const oldestFirst = transactionsOf(account).filter(
        (transaction) =>
          (status === undefined || transaction.status === status) &&
          (payment_model === undefined || transaction.payment_model === payment_model) &&
          isIn(Date.parse(transaction.created_at)),
      );
      const extra = { totals: totalsOf(oldestFirst) };
      return listed(page(input, { name: 'transactions', oldestFirst, extra }));
    },
  ),
  endpoint('GET /payouts', { scopes: ['report'] }, pageFields, ({ account, input }) =>
    listed(page(input, { name: 'payouts', oldestFirst: account.payouts })),
  ),
];
