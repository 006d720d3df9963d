// What the shop does with the marketplace: quotes, paid orders, their progress, and the nightly comparison.

import { createEventInbox, createOrderOutbox } from 'market-partner-sdk/durable';

const placed = `update sale set state = 'placed', order_id = $1, order_price = $2 where payment = $3`;
const refused = `update sale set state = 'refused', reason = $1 where payment = $2`;
const paidBack = 'update sale set paid_back_at = $1 where payment = $2';
const insertQuote = 'insert into quote values ($1, $2, $3, $4, $5) on conflict do nothing';
const insertSale = `insert into sale (payment, domain, price, currency, paid_at, state)
  values ($1, $2, $3, $4, $5, 'open')`;
// The history may show an event late: it replaces neither a newer one nor a refund, which is the end.
const storeProgress = `insert into progress values ($1, $2, $3, $4) on conflict (order_id) do update
  set event = excluded.event, status = excluded.status, at = excluded.at
  where excluded.at >= progress.at and progress.event <> 'order.refunded'`;
const quotes = 'select * from quote where checkout = $1';
const notAsQuoted = `insert into sale (payment, domain, price, currency, paid_at, state, reason)
  values ($1, $2, $3, $4, $5, 'refused', 'not_as_quoted') on conflict do nothing`;
// The buyer of a refused sale, or of an order that was refunded or cancelled, is paid back.
const sales = `select *, case event when 'order.refunded' then 'refused' else state end as outcome
  from sale left join progress using (order_id)`;
// As orders.reconcile takes a sale.
const books = `select payment as "idempotencyKey", paid_at as "startedAt", state, order_id as "publicId", status,
    case event when 'order.refunded' then paid_at end as "refundedAt",
    domain, coalesce(order_price, price) as expected_price, currency
  from sale left join progress using (order_id) 
  where paid_at >= $1 and coalesce(reason, '') <> 'not_as_quoted'`;
const dayMs = 24 * 60 * 60_000;

export function createSales({ market, database: { engine, read, write }, secret }) {
  // What `commit` writes is written once, though the process ends in the middle.
  const outbox = createOrderOutbox({
    market,
    engine,
    onPlaced: ({ public_id, sale_price_cents }, { key }, { commit }) =>
      commit((tx) => write(tx, placed, public_id, sale_price_cents, key)),
    onRefused: ({ reason }, { key }, { commit }) => commit((tx) => write(tx, refused, reason, key)),
    // The operator's page lists it.
    onAttention: ({ message }, { key }) => console.error('needs manual review', key, message),
  });
  const follow = ({ type, created_at: at, data: { order } }, { commit }) =>
    commit((tx) => write(tx, storeProgress, order.public_id, type, order.status, Date.parse(at)));
  const inbox = createEventInbox({
    market,
    engine,
    secret,
    startFrom: 'beginning',
    on: {
      'order.recorded': follow,
      'order.manual_review_cleared': follow,
      'order.transfer_started': follow,
      'order.transfer_completed': follow,
      'order.settled': follow,
      'order.refunded': follow,
    },
  });

  /** By the service's clock, where this machine's is wrong. */
  const now = (agoMs = 0) => new Date(market.now() - agoMs).toISOString();
  const findOne = async (sql, id) => {
    const [row] = await read(sql, id);
    if (row === undefined) throw Object.assign(new Error('not found'), { status: 404 });
    return row;
  };
  const checkId = (value) => {
    if (typeof value === 'string' && /^[!-~]{1,200}$/.test(value)) return;
    throw Object.assign(new Error('no id'), { status: 400 });
  };

  return {
    outbox,
    inbox,
    findQuote: (checkout) => findOne(quotes, checkout),
    findSale: (payment) => findOne(`${sales} where payment = $1`, payment),
    findSaleOf: async ({ public_id }) => (await read(`${sales} where order_id = $1`, public_id))[0],
    // As the program that asks for it takes a sale: `pay_back` says why its buyer is paid back.
    list: () =>
      read(`select payment, order_id, case outcome when 'refused' then coalesce(reason, 'refunded') end
        as pay_back from (${sales}) sales`),

    /** The price for a checkout, which is firm for ten minutes. It stays, however often it is asked for. */
    async quote(checkout, domain) {
      checkId(checkout);
      if ((await read(quotes, checkout)).length === 0) {
        const quote = await market.orders.quote({ domain }, { deadlineMs: 10_000 });
        const { price_cents: price, currency, quote_id: id } = quote;
        if (!id || !price) throw new Error(`the quote of ${domain} states no id or no price`);
        await write(undefined, insertQuote, checkout, domain, price, currency, id);
      }
      return findOne(quotes, checkout);
    },

    /** The buyer has paid. May be called several times: a payment has one sale and one order. */
    async pay({ payment, checkout, amount, currency }) {
      checkId(payment);
      checkId(checkout);
      const [quote] = await read(quotes, checkout);
      const isPaid = quote !== undefined && quote.price === amount && quote.currency === currency;
      if (!isPaid) {
        const price = Number.isSafeInteger(amount) ? amount : null;
        const row = [payment, quote?.domain ?? null, price, quote?.currency ?? null, now()];
        await write(undefined, notAsQuoted, ...row);
      }
      const [known] = await read('select reason from sale where payment = $1', payment);
      if (!isPaid || known?.reason === 'not_as_quoted') return { added: false };
      const { domain, price, quote_id } = quote;
      const order = { domain, expected_price: price, currency, quote_id };
      const row = [payment, domain, price, currency, now()];
      return outbox.add({ key: payment, order }, { write: (tx) => write(tx, insertSale, ...row) });
    },

    toPayBack: () =>
      read(`select * from (${sales}) sales where outcome = 'refused' and paid_back_at is null`),
    markPaidBack: async (payment) => write(undefined, paidBack, now(), payment),

    /** Compares the sales of the last week with the service; for every night. */
    async reconcile() {
      // A day more than is compared: an order comes after its payment.
      const booked = await read(books, now(8 * dayMs));
      const compared = market.orders.reconcile({
        sales: booked.map(({ domain, expected_price, currency, ...sale }) => ({
          ...sale,
          input: { domain, expected_price, currency, external_payment_ref: sale.idempotencyKey },
        })),
        from: now(7 * dayMs),
      });
      const findings = await compared.toArray();
      if (findings.length > 0) console.error('the books differ', findings);
      this.comparison = { at: now(), ...compared.summary, findings };
    },
  };
}
