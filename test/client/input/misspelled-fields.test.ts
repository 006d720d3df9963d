import { describe, expect, it } from 'vitest';
import {
  brokerageCaseInput,
  checkInput,
  checkoutInput,
  dateRange,
  eventsQuery,
  linkInput,
  orderFilters,
  orderInput,
  pagedDateRange,
  quoteInput,
  refundInput,
  transactionFilters,
  webhookInput,
} from '../../../src/client/input/index.js';
import { violations, type LazySchema } from './violations.js';

const order = { domain: 'brew.example', expected_price: 250_000 };
const meant = (field: string) => `is not a field. The service spells it "${field}"`;

describe('a field in another spelling', () => {
  it.each([
    ['Currency', 'currency'],
    ['quoteId', 'quote_id'],
    ['EXTERNAL_PAYMENT_REF', 'external_payment_ref'],
    ['external-payment-ref', 'external_payment_ref'],
    ['ReturnUrl', 'return_url'],
    // Next to the documented field.
    ['expectedPrice', 'expected_price'],
  ])('is refused: %s for %s', (key, field) => {
    expect(violations(orderInput, { ...order, [key]: 1 })).toEqual([[key, meant(field)]]);
  });

  it('is one violation, not two, where the field is required', () => {
    expect(violations(orderInput, { Domain: 'brew.example', expectedPrice: 1 })).toEqual([
      ['Domain', meant('domain')],
      ['expectedPrice', meant('expected_price')],
    ]);
  });

  it('comes before the broken rules of documented fields', () => {
    const input = { currency: '$', quoteId: 'q', expectedPrice: 1, domain: 'brew.example' };
    const paths = violations(orderInput, input).map(([path]) => path);
    expect(paths).toEqual(['quoteId', 'expectedPrice', 'currency']);
  });
});

describe('a field within two edits of a documented one is refused in every input', () => {
  it.each<[string, string, LazySchema<unknown>, Record<string, unknown>]>([
    ['expected_prise', 'expected_price', orderInput, { domain: 'brew.example' }],
    ['expectedprise', 'expected_price', orderInput, { domain: 'brew.example' }],
    ['expcted_prce', 'expected_price', quoteInput, { domain: 'brew.example' }],
    ['curency', 'currency', orderInput, order],
    ['curreny', 'currency', quoteInput, { domain: 'brew.example' }],
    ['external_payment_reff', 'external_payment_ref', orderInput, order],
    ['retrun_url', 'return_url', checkoutInput, { domain: 'brew.example' }],
    ['cancel_uri', 'cancel_url', checkoutInput, { domain: 'brew.example' }],
    ['quote_ids', 'quote_id', orderInput, order],
    ['domian', 'domain', linkInput, { type: 'domain' }],
    ['prodcut', 'product', linkInput, { type: 'product' }],
    ['bugdet', 'budget', brokerageCaseInput, { tier: 'managed', buyer_email: 'a@b.example' }],
    ['staus', 'status', orderFilters, {}],
    ['limti', 'limit', orderFilters, {}],
    ['form', 'from', dateRange, {}],
    ['crusor', 'cursor', pagedDateRange, {}],
    ['payment_modle', 'payment_model', transactionFilters, {}],
    ['after', 'after_id', eventsQuery, {}],
    ['secert', 'secret', webhookInput, { url: 'https://shop.example' }],
    ['reson', 'reason', refundInput, { public_id: 'ord_1' }],
  ])('%s for %s', (key, field, schema, others) => {
    expect(violations(schema, { ...others, [key]: 'x' })).toEqual([[key, meant(field)]]);
  });

  it.each([
    ['eMail', 'email'],
    ['emial', 'email'],
    ['nmae', 'name'],
    ['contry', 'country'],
    ['cuontyr', 'country'],
  ])('%s for %s, in the buyer', (key, field) => {
    const found = violations(orderInput, { ...order, buyer: { [key]: 'x' } });
    expect(found).toEqual([[`buyer.${key}`, meant(field)]]);
  });
});

describe('another field passes', () => {
  it.each<[string, LazySchema<unknown>, Record<string, unknown>]>([
    ['that no documented one is near', orderInput, { ...order, loyalty_id: 'L-1' }],
    ['near a documented one that is there too', orderInput, { ...order, expected_prices: [1] }],
    ['so in the buyer', orderInput, { ...order, buyer: { country: 'GB', countri: 'x' } }],
    ['that is a documented one and a word', orderFilters, { domain_id: 'd_1', status_x: 'y' }],
    ['that is a documented one and a word, in camelCase', orderFilters, { domainId: 'd_1' }],
    ['that begins with another letter', orderInput, { ...order, note_id: 'n', route_id: 'r' }],
    ['of three letters', dateRange, { for: 'x', tom: 'y', t: 'z' }],
    ['near a short name by two edits', orderInput, { ...order, buyer: { nom: 'Ada', mane: '?' } }],
    ['that is a word of its own', orderInput, { ...order, buyer: { county: 'Kent' } }],
    ['of a megabyte', orderInput, { ...order, ['currency'.repeat(131_072)]: 'x' }],
  ])('%s', (_what, schema, input) => {
    expect(checkInput(schema, input)).toEqual(input);
  });

  it('unless the documented one next to it is undefined', () => {
    const found = violations(orderInput, { ...order, currency: undefined, curency: 'USD' });
    expect(found).toEqual([['curency', meant('currency')]]);
  });
});

describe('an option of the call among the fields', () => {
  const misplaced = 'is a request option. Pass it in the next argument';

  it.each(['idempotencyKey', 'idempotency_key', 'idempotencyKy', 'idempotenceyKey', 'timeoutMs'])(
    'is refused: %s',
    (key) => {
      expect(violations(orderInput, { ...order, [key]: 'x' })).toEqual([[key, misplaced]]);
    },
  );

  it.each(['deadline', 'timeout', 'key'])('is not seen in a field of another name: %s', (key) => {
    expect(checkInput(orderInput, { ...order, [key]: 'x' })).toHaveProperty(key);
  });
});
