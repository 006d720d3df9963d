import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  analyticsRange,
  brokerageCaseInput,
  checkInput,
  checkoutInput,
  dateRange,
  eventsQuery,
  linkInput,
  orderFilters,
  orderInput,
  pagedDateRange,
  pageRequest,
  quoteInput,
  refundInput,
  serializeBody,
  transactionFilters,
  webhookInput,
} from '../../../src/client/input/index.js';
import { violations, type LazySchema } from './violations.js';

class Hidden {
  readonly #domain = 'brew.example';
  isFor(domain: string) {
    return domain === this.#domain;
  }
}

const everyRecord: [string, LazySchema<unknown>, Record<string, unknown>][] = [
  ['quote', quoteInput, { domain: 'brew.example' }],
  ['order', orderInput, { domain: 'brew.example', expected_price: 250_000 }],
  ['order filters', orderFilters, {}],
  ['refund', refundInput, { public_id: 'ord_1' }],
  ['transaction filters', transactionFilters, {}],
  ['checkout', checkoutInput, { domain: 'brew.example' }],
  ['brokerage case', brokerageCaseInput, { tier: 'managed', buyer_email: 'ada@buyer.example' }],
  ['link', linkInput, { type: 'generic' }],
  ['webhook', webhookInput, { url: 'https://partner.example', secret: 'tulip' }],
  ['events query', eventsQuery, {}],
  ['date range', dateRange, {}],
  ['analytics range', analyticsRange, { from: '2026-01-01' }],
  ['page', pageRequest, {}],
  ['paged date range', pagedDateRange, {}],
];

describe.each(everyRecord)('every record: %s', (_name, check, least) => {
  it('needs no more than its required fields', () => {
    expect(checkInput(check, least)).toEqual(least);
  });

  it('passes unknown fields through as they are', () => {
    const extra = { x_new: { Deep: [1, null] }, Neu: 'ä', 'with-hyphen': false };
    expect(checkInput(check, { ...least, ...extra })).toEqual({ ...least, ...extra });
  });

  it('is a new object; the given one is left as it is, even when frozen', () => {
    const given = Object.freeze({ ...least, list: Object.freeze([1]) });
    const sent = checkInput(check, given);
    expect(sent).not.toBe(given);
    expect(sent).toEqual(given);
  });

  it('is what its toJSON gives, as JSON.stringify writes it', () => {
    const toJSON = () => least;
    expect(checkInput(check, { toJSON })).toEqual(least);
    expect(checkInput(check, Object.assign(new Hidden(), { toJSON }))).toEqual(least);
  });

  it('may be an instance of a class, whose accessors are read too', () => {
    class Dto {
      valueOf() {
        return this;
      }
    }
    const [first, ...others] = Object.entries(least);
    const given = Object.assign(new Dto(), Object.fromEntries(others));
    const get = () => first?.[1];
    if (first !== undefined) Object.defineProperty(Dto.prototype, first[0], { get });
    else Object.assign(given, { x_new: 1 });
    expect(checkInput(check, given)).toEqual(first === undefined ? { x_new: 1 } : least);
  });

  it('is no instance that shows none of its fields', () => {
    expect(violations(check, new Hidden())).toEqual([
      ['input', 'must be a plain object of fields; received an object'],
    ]);
  });

  it('takes nothing of an extended Object.prototype', () => {
    const prototype = Object.prototype as { currency?: string };
    prototype.currency = 'no currency';
    try {
      expect(checkInput(check, least)).toEqual(least);
    } finally {
      delete prototype.currency;
    }
  });

  it.each([
    ...[undefined, null, 'brew.example', new Map(Object.entries(least)), new Date(0)],
    ...[Promise.resolve(least), () => least],
  ])('is not %o', (given) => {
    const rule = expect.stringContaining('must be a plain object of fields') as string;
    for (const wrong of [given, [given]]) {
      expect(violations(check, wrong)).toEqual([['input', rule]]);
    }
  });

  it('may come from another realm or have no prototype', () => {
    const foreign: object = runInNewContext('({})');
    expect(checkInput(check, Object.assign(foreign, least))).toEqual(least);
    expect(checkInput(check, Object.assign(Object.create(null) as object, least))).toEqual(least);
  });

  it('throws nothing but its invalidRequestOf on any value', () => {
    const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true });
    fc.assert(
      fc.property(anything, (given) => {
        try {
          checkInput(check, given);
        } catch (error) {
          expect(error).toHaveProperty('name', 'InvalidRequestError');
        }
      }),
      { numRuns: 50 },
    );
  });
});

it('a document of Mongoose is sent without its state, and so is one in it', () => {
  class Document {
    readonly $__ = { state: 'internal' };
    readonly #doc: object;
    constructor(doc: object) {
      this.#doc = doc;
    }
    toJSON() {
      return this.#doc;
    }
  }
  const order = { domain: 'brew.example', expected_price: 250_000 };
  const buyer = { email: 'ada@buyer.example' };
  const input = new Document({ ...order, buyer: new Document(buyer) });
  expect(JSON.parse(serializeBody(checkInput(orderInput, input)))).toEqual({ ...order, buyer });
});

it('what toJSON gives is checked, and not what it hides', () => {
  const order = { domain: 'brew.example', expected_price: 250_000 };
  const given = { ...order, toJSON: () => ({ ...order, expected_price: -1 }) };
  expect(violations(orderInput, given)).toEqual([
    ['expected_price', expect.stringContaining('above zero')],
  ]);
});

describe('orders', () => {
  const full = {
    domain: 'brew.example',
    expected_price: 250_000,
    currency: 'USD',
    buyer: { email: 'ada@buyer.example', name: 'Ada', country: 'GB', phone: '1' },
    return_url: 'https://partner.example/thanks',
    cancel_url: 'https://partner.example/basket',
    quote_id: 'q/1==',
    external_payment_ref: 'payment 1001',
  };

  it('are taken with every documented field', () => {
    expect(checkInput(orderInput, full)).toEqual(full);
  });

  it('are sent with the domain and the codes in one spelling, so that a repeat has equal bytes', () => {
    const written = {
      ...full,
      domain: 'BREW.example.',
      currency: 'usd',
      buyer: { ...full.buyer, country: 'gb' },
    };
    expect(serializeBody(checkInput(orderInput, written))).toBe(serializeBody(full));
  });

  it('name every broken rule, in the order of the documented fields', () => {
    const input = {
      quote_id: ' ',
      external_payment_ref: 7,
      cancel_url: 'no',
      return_url: 'no',
      buyer: { country: 'GBR', email: 'x', name: '' },
      currency: '$',
      expected_price: 19.99,
      domain: 'brew',
    };
    expect(violations(orderInput, input).map(([path]) => path)).toEqual([
      ...['domain', 'expected_price', 'currency', 'buyer.email', 'buyer.name', 'buyer.country'],
      ...['return_url', 'cancel_url', 'quote_id', 'external_payment_ref'],
    ]);
  });

  it('take undefined for an absent field', () => {
    expect(
      checkInput(orderInput, { ...full, buyer: undefined, quote_id: undefined }),
    ).toMatchObject({ domain: 'brew.example' });
  });

  it('do not read fields from a prototype', () => {
    const inherited: unknown = Object.setPrototypeOf(
      {},
      { __proto__: null, domain: 'brew.example' },
    );
    expect(violations(quoteInput, inherited).map(([path]) => path)).toEqual(['domain']);
  });
});

describe('refunds', () => {
  it('may name the order in a field of another name', () => {
    expect(checkInput(refundInput, { order_ref: 'x', reason: 'late' })).toEqual({
      order_ref: 'x',
      reason: 'late',
    });
  });

  it('check the identifier, and then say nothing of a missing order', () => {
    expect(violations(refundInput, { public_id: '' })).toEqual([
      ['public_id', 'must be an identifier; received ""'],
    ]);
  });
});

describe('rules between fields', () => {
  it('are not asked while a field is wrong on its own', () => {
    const span = { from: '2026-02-30', to: '2026-01-01' };
    expect(violations(dateRange, span).map(([path]) => path)).toEqual(['from']);
    expect(violations(refundInput, { reason: ' ' }).map(([path]) => path)).toEqual(['reason']);
  });
});

describe('links', () => {
  it('may be of a type that is not known here', () => {
    expect(
      checkInput(linkInput, { type: 'campaign', domain: 'BREW.example', product: 'p1' }),
    ).toEqual({ type: 'campaign', domain: 'brew.example', product: 'p1' });
  });
});

describe('filters', () => {
  it('are taken with every documented field', () => {
    const filters = {
      status: 'HELD',
      domain: 'brew.example',
      from: '2026-01-01',
      to: '2026-01-31',
      cursor: 'c',
      limit: 10,
    };
    expect(checkInput(orderFilters, filters)).toEqual(filters);
  });
});
