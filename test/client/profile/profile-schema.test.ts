import { describe, expect, it } from 'vitest';
import { ConfigurationError } from 'market-partner-sdk';
import { checkProfile } from '../../../src/client/profile/profile-schema.js';
import { thrownBy } from '../../support/errors.js';

const whole = {
  version: 1,
  lists: {
    items: ['exact', 'related'],
    item: 'attributes',
    id: 'id',
    empty: ['list', '404'],
    except: { settlements: { items: 'statements' } },
  },
  paging: {
    by: 'cursor',
    next: ['@odata.nextLink'],
    param: 'after',
    end: ['null', ''],
    ignore: ['total'],
  },
  records: { at: 'data', id: null, except: { detail: 'order' } },
  errors: {
    code: 'errors.0.code',
    message: 'errors.0.message',
    codes: { PRICE_CHANGED: 'price_mismatch' },
    in200: { at: 'success', is: false },
  },
  naming: { case: 'camel', id: 'id' },
  fields: {
    order: { external_payment_ref: 'metadata.ref' },
    detail: { timeline: '/timeline' },
    quote: { expires_at: { in: 'expires_in' }, quote_id: undefined, price_cents: null },
  },
  statuses: { REVERSED: 'REFUNDED' },
  amounts: {
    form: 'text',
    unit: 'major',
    suffix: '',
    except: { quote: { unit: 'minor' } },
    sent: 'major',
  },
  dates: { form: 'seconds', except: { event: 'iso' } },
  filters: { from: 'since', to: 'until', form: 'day' },
  events: { order: 'newest', after: 'older', inclusive: true },
  inputs: {
    quote: {
      fields: { domain: 'domain_name' },
      add: { accept_terms: true },
      omit: ['currency'],
      copy: { buyer_country: 'buyer.country' },
    },
    refund: { words: { reason: { '*': 'requested_by_customer' } } },
  },
  open: ['amounts.sent'],
};

describe('a profile', () => {
  it('is taken as a whole, and with its version alone', () => {
    const { quote, ...fields } = whole.fields;
    const quoteFields = { expires_at: quote.expires_at, price_cents: null };
    // What is undefined is absent, as in any options.
    expect(checkProfile(whole)).toEqual({ ...whole, fields: { ...fields, quote: quoteFields } });
    expect(checkProfile({ version: 1 })).toEqual({ version: 1 });
  });

  it.each<[string, object]>([
    ['"profile.version" must be 1', { version: 2 }],
    ['"profile.version"', { version: undefined }],
    ['"profile.paging.by" must be "cursor"', { paging: { by: 'hope' } }],
    ['"profile.paging.param" is required', { paging: { by: 'last' } }],
    ['"profile.paging.next" is required', { paging: { by: 'link' } }],
    ['pages', { paging: { by: 'cursor', pages: 'x' } }],
    ['"profile.lists.empty', { lists: { empty: ['nothing'] } }],
    ['"profile.errors.codes.X" must be a documented code', { errors: { codes: { X: 'y' } } }],
    ['"profile.statuses.X" must be', { statuses: { X: 'GONE' } }],
    ['retries', { retries: 3 }],
    ['signing', { signing: {} }],
    ['webhook_secret', { events: { webhook_secret: 'x' } }],
    ['id', { fields: { event: { id: 'event_id' } } }],
    ['type', { fields: { event: { type: 'kind' } } }],
    ['invoice', { fields: { invoice: { id: 'x' } } }],
    ['"public_id" where "status" is', { fields: { order: { public_id: 'status' } } }],
    ['at one place', { fields: { order: { public_id: 'a', domain: 'a' } } }],
    ['must not replace "domain"', { inputs: { quote: { add: { domain: 'x' } } } }],
    ['omit', { inputs: { quote: { omit: ['color'] } } }],
    ['color', { inputs: { quote: { fields: { color: 'x' } } } }],
    ['unit', { amounts: { unit: 'euros' } }],
  ])('is refused by the name of its key: %s', (words, wrong) => {
    const error = thrownBy(() => checkProfile({ version: 1, ...wrong }), ConfigurationError);
    expect(error.message).toContain(words);
  });
});
