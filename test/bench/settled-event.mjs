// The event that the webhook benches verify and deliver.

/** @param note - text that makes the body longer. */
export function settledEvent(id, note) {
  return JSON.stringify({
    id,
    object: 'event',
    type: 'order.settled',
    created_at: '2026-11-21T08:00:00Z',
    partner_id: 'prt_1',
    data: {
      order: {
        public_id: 'ord_1001',
        domain: 'brew.example',
        status: 'SETTLED',
        sale_price_cents: 250_000,
        currency: 'USD',
        note,
      },
    },
  });
}
