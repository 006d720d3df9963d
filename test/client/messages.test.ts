/**
 * What each wrong input and each wrong option gets before anything is sent: the class, the name of the field and
 * the sentence. One table, so that a change of any of them is seen. In the place of an input, "new" and
 * "withOptions" are the client's own options.
 */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MarketClient } from 'market-partner-sdk';
import { rejectionOf } from '../support/errors.js';
import { credential, mockMarket, okResponse } from '../support/mock-market.js';

const order = { domain: 'brew.example', expected_price: 250_000 };
const brokerageCase = { tier: 'managed', buyer_email: 'ada@buyer.example' };
const client = { baseUrl: 'https://market.example', ...credential };
const startedAt = new Date(1_767_225_600_000);
/** What no error may repeat. */
const secrets = new RegExp(`${credential.secret}|tulip|hunter2`);

type Row = readonly [sentence: string, name: string, ...args: unknown[]];

// One row a line, however long: it is a table.
// prettier-ignore
const tables: Readonly<Record<string, readonly Row[]>> = {
  'a record': [
    ['"input" is required and must be a plain object of fields', 'orders.create', undefined],
    ['"input" must be a plain object of fields; received null', 'orders.create', null],
    ['"input" must be a plain object of fields; received an object', 'orders.create', new Map()],
    ['"input" must be a plain object of fields; received a function', 'orders.create', () => order],
    ['"filters" must be a plain object of fields; received an object', 'orders.list', new (class { #status = 'HELD'; matches(status: string) { return status === this.#status; } })()],
    ['"domain" is required and must be a domain name alone, such as "brew.example"; "expected_price" is required and must be a whole number of minor units (cents) above zero', 'orders.create', {}],
    ['"expectedPrice" is not a field. The service spells it "expected_price"', 'orders.create', { domain: 'brew.example', expectedPrice: 250_000 }],
    ['"curency" is not a field. The service spells it "currency"', 'orders.create', { ...order, expected_prise: 1, curency: 'USD' }],
    ['"idempotency_key" is a request option. Pass it in the next argument', 'orders.create', { ...order, idempotency_key: 'payment-1001' }],
    ['"timeoutMs" is a request option. Pass it in the next argument', 'orders.create', { ...order, timeoutMs: 5 }],
    ['"signal" is a request option. Pass it in the next argument', 'orders.create', { ...order, signal: new AbortController().signal }],
    ['"domain" must be a domain name alone, such as "brew.example"; received "brew"; "expected_price" must be a whole number of minor units (cents) above zero; received 0; "currency" must be three letters, such as "USD"; received "$"; "quote_id" must be a string that is not blank; received ""', 'orders.create', { domain: 'brew', expected_price: 0, currency: '$', quote_id: '' }],
    ['"q" is required and must be a string that is not blank', 'domains.search', undefined],
    ['"name" is required and must be a domain name alone, such as "brew.example"', 'domains.get', undefined],
    ['"Idempotency-Key" is a request option. Pass it in the next argument', 'orders.create', { ...order, 'Idempotency-Key': 'k' }],
    ['"maxRetries" is a request option. Pass it in the next argument', 'orders.create', { ...order, maxRetries: 1 }],
    ['"deadlineMs" is a request option. Pass it in the next argument', 'orders.listSettlements', { deadlineMs: 5 }],
    ['"signal" is a request option. Pass it in the next argument', 'orders.listSettlements', { signal: new AbortController().signal }],
  ],
  'a domain': [
    ['"name" must be a domain name alone, such as "brew.example"; received 5', 'domains.get', 5],
    ['"name" must be a domain name alone, such as "brew.example"; received ""', 'domains.get', ''],
    ['"name" must be a domain name alone, such as "brew.example"; received "https://brew.example/"', 'domains.get', 'https://brew.example/'],
    ['"name" must be a domain name alone, such as "brew.example"; received "brew..example"', 'domains.get', 'brew..example'],
    ['"domain" must be a domain name alone, such as "brew.example"; received "brew"', 'domains.checkAvailability', 'brew'],
    ['"domain" must be a domain name alone, such as "brew.example"; received "brew"', 'domains.getPricing', 'brew'],
    ['"domain" must be a domain name alone, such as "brew.example"; received "brew"', 'brokerage.checkEligibility', 'brew'],
    ['"domain" must be a domain name alone, such as "brew.example"; received "brew"', 'orders.quote', { domain: 'brew' }],
    ['"domain" must be a domain name alone, such as "brew.example"; received "brew"', 'orders.list', { domain: 'brew' }],
    ['"domain" must be a domain name alone, such as "brew.example"; received "brew"', 'checkout.createSession', { domain: 'brew' }],
    ['"domain" must be a domain name alone, such as "brew.example"; received "brew"', 'referral.createLink', { type: 'domain', domain: 'brew' }],
    ['"domain" must be a domain name alone, such as "brew.example"; received "brew"', 'brokerage.openCase', { ...brokerageCase, domain: 'brew' }],
  ],
  'money, budgets and page lengths': [
    ['"expected_price" must be a whole number of minor units (cents) above zero; received 19.99', 'orders.create', { ...order, expected_price: 19.99 }],
    ['"expected_price" must be a whole number of minor units (cents) above zero; received 0', 'orders.create', { ...order, expected_price: 0 }],
    ['"expected_price" must be a whole number of minor units (cents) above zero; received -5', 'orders.create', { ...order, expected_price: -5 }],
    ['"expected_price" must be a whole number of minor units (cents) above zero; received NaN', 'orders.create', { ...order, expected_price: NaN }],
    ['"expected_price" must be a whole number of minor units (cents) above zero; received null', 'orders.create', { ...order, expected_price: null }],
    ['"expected_price" must be a number, not a string; received "2500"', 'orders.create', { ...order, expected_price: '2500' }],
    ['"expected_price" must be a whole number of minor units (cents) above zero; received "ten"', 'orders.create', { ...order, expected_price: 'ten' }],
    ['"expected_price" must be a number, not a bigint; received 2500n', 'orders.create', { ...order, expected_price: 2500n }],
    ['"expected_price" must be at most 9007199254740991 (Number.MAX_SAFE_INTEGER); received 9007199254740992', 'orders.create', { ...order, expected_price: 2 ** 53 }],
    ['"expected_price" must be a whole number of minor units (cents) above zero; received an array', 'orders.create', { ...order, expected_price: [] }],
    ['"expected_price" must be a whole number of minor units (cents) above zero; received 19.99', 'orders.quote', { domain: 'brew.example', expected_price: 19.99 }],
    ['"expected_price" must be a whole number of minor units (cents) above zero; received 19.99', 'checkout.createSession', { domain: 'brew.example', expected_price: 19.99 }],
    ['"budget" must be a finite number above zero; received 0', 'brokerage.openCase', { ...brokerageCase, budget: 0 }],
    ['"budget" must be a finite number above zero; received Infinity', 'brokerage.openCase', { ...brokerageCase, budget: Infinity }],
    ['"budget" must be a number, not a string; received "5000"', 'brokerage.openCase', { ...brokerageCase, budget: '5000' }],
    ['"budget" must be a finite number above zero; received an object', 'brokerage.openCase', { ...brokerageCase, budget: {} }],
    ['"limit" must be a whole number from 1 up; received 0', 'orders.list', { limit: 0 }],
    ['"limit" must be a whole number from 1 up; received 1.5', 'orders.list', { limit: 1.5 }],
    ['"limit" must be a number, not a string; received "5"', 'orders.list', { limit: '5' }],
    ['"limit" must be a whole number from 1 up; received 0', 'orders.listSettlements', { limit: 0 }],
    ['"limit" must be a whole number from 1 up; received 0', 'orders.listTransactions', { limit: 0 }],
    ['"limit" must be a whole number from 1 up; received 0', 'orders.listPayouts', { limit: 0 }],
    ['"limit" must be a whole number from 1 up; received 0', 'brokerage.listCases', { limit: 0 }],
    ['"limit" must be a whole number from 1 up; received 0', 'referral.listLinks', { limit: 0 }],
    ['"limit" must be a whole number from 1 up; received 0', 'referral.listSales', { limit: 0 }],
    ['"limit" must be a whole number from 1 up; received 0', 'referral.listCommissions', { limit: 0 }],
    ['"limit" must be a whole number from 1 up; received 0', 'referral.listPayouts', { limit: 0 }],
    ['"limit" must be a whole number from 1 up; received 0', 'events.list', { limit: 0 }],
    ['"limit" must be a whole number from 1 up; received 2.5', 'referral.listPayouts', { limit: 2.5 }],
  ],
  'codes and words': [
    ['"currency" must be three letters, such as "USD"; received "US"', 'orders.create', { ...order, currency: 'US' }],
    ['"currency" must be three letters, such as "USD"; received 840', 'orders.create', { ...order, currency: 840 }],
    ['"currency" must be three letters, such as "USD"; received "US"', 'orders.quote', { domain: 'brew.example', currency: 'US' }],
    ['"currency" must be three letters, such as "USD"; received "US"', 'checkout.createSession', { domain: 'brew.example', currency: 'US' }],
    ['"buyer.country" must be two letters, such as "GB"; received "GBR"', 'orders.create', { ...order, buyer: { country: 'GBR' } }],
    ['"buyer.country" must be two letters, such as "GB"; received "GBR"', 'checkout.createSession', { domain: 'brew.example', buyer: { country: 'GBR' } }],
    ['"buyer.contry" is not a field. The service spells it "country"', 'orders.create', { ...order, buyer: { contry: 'GB' } }],
    ['"buyer" must be a plain object of fields; received a string', 'orders.create', { ...order, buyer: 'ada@buyer.example' }],
    ['"buyer.name" must be a string that is not blank; received 7', 'orders.create', { ...order, buyer: { name: 7 } }],
    ['"tier" is required and must be "managed" or "self_serve"; "buyer_email" is required and must be an e-mail address', 'brokerage.openCase', {}],
    ['"tier" must be "managed" or "self_serve"; received "gold"', 'brokerage.openCase', { ...brokerageCase, tier: 'gold' }],
    ['"tier" must be "managed" or "self_serve"; received null', 'brokerage.openCase', { ...brokerageCase, tier: null }],
    ['"buyer.country" must be two letters, such as "GB"; received null', 'orders.create', { ...order, buyer: { country: null } }],
  ],
  'addresses': [
    ['"buyer.email" must be an e-mail address', 'orders.create', { ...order, buyer: { email: 'ada' } }],
    ['"buyer_email" must be an e-mail address', 'brokerage.openCase', { ...brokerageCase, buyer_email: 'ada' }],
    ['"return_url" must be an absolute http or https URL; received "partner.example"', 'orders.create', { ...order, return_url: 'partner.example' }],
    ['"return_url" must be an absolute http or https URL; received "https://partner.example\\\\x", which has white space, a control character or a backslash', 'orders.create', { ...order, return_url: 'https://partner.example\\x' }],
    ['"return_url" must not have a user name or a password in it', 'orders.create', { ...order, return_url: 'https://ada:tulip@partner.example' }],
    ['"cancel_url" must be an absolute http or https URL; received an object', 'orders.create', { ...order, cancel_url: new URL('https://partner.example') }],
    ['"return_url" must be an absolute http or https URL; received 5; "cancel_url" must be an absolute http or https URL; received "/basket"', 'checkout.createSession', { domain: 'brew.example', return_url: 5, cancel_url: '/basket' }],
    ['"url" must be an absolute http or https URL; received "ftp://shop.example"', 'events.registerWebhook', { url: 'ftp://shop.example', secret: 'tulip' }],
  ],
  'text': [
    ['"q" must be a string that is not blank; received ""', 'domains.search', ''],
    ['"q" must be a string that is not blank; received 5', 'domains.search', 5],
    ['"q" contains a lone surrogate, which cannot be encoded', 'domains.search', 'a\ud83d'],
    ['"quote_id" must be a string that is not blank; received " "', 'orders.create', { ...order, quote_id: ' ' }],
    ['"external_payment_ref" must be a string that is not blank; received 7', 'orders.create', { ...order, external_payment_ref: 7 }],
    ['"reason" must be a string that is not blank; received ""', 'orders.refund', { public_id: 'ord_1', reason: '' }],
    ['"status" must be a string that is not blank; received 5', 'orders.list', { status: 5 }],
    ['"cursor" must be a string that is not blank; received ""', 'orders.list', { cursor: '' }],
    ['"status" must be a string that is not blank; received ""; "payment_model" must be a string that is not blank; received 5', 'orders.listTransactions', { payment_model: 5, status: '' }],
    ['"type" is required and must be a string that is not blank', 'referral.createLink', {}],
    ['"product" must be a string that is not blank; received ""', 'referral.createLink', { type: 'product', product: '' }],
    ['"after_id" must be a string that is not blank; received ""', 'events.list', { after_id: '' }],
    ['"cursor" is not a field of the history. Pass "after_id"', 'events.list', { cursor: 'evt_1' }],
    ['"url" is required and must be an absolute http or https URL; "secret" is required and must be a string that is not blank', 'events.registerWebhook', {}],
    ['"secret" must be a string that is not blank', 'events.registerWebhook', { url: 'https://shop.example/hook', secret: 5 }],
    ['"secret" must be a string that is not blank', 'events.registerWebhook', { url: 'https://shop.example/hook', secret: ' ' }],
    ['"url" must be an absolute http or https URL; received "shop.example"', 'events.registerWebhook', { url: 'shop.example', secret: 'tulip' }],
  ],
  'dates': [
    ['"from" must be a Date, Unix milliseconds or ISO 8601 with a zone ("2026-11-21T08:00:00Z"), or a day of UTC ("2026-11-21"); received "yesterday"', 'orders.list', { from: 'yesterday' }],
    ['"from" must be a Date, Unix milliseconds or ISO 8601 with a zone ("2026-11-21T08:00:00Z"), or a day of UTC ("2026-11-21"); received 1700000000', 'orders.list', { from: 1_700_000_000 }],
    ['"from" must be a Date, Unix milliseconds or ISO 8601 with a zone ("2026-11-21T08:00:00Z"), or a day of UTC ("2026-11-21"); received "2026-02-30"', 'orders.list', { from: '2026-02-30' }],
    ['"from" must be a Date, Unix milliseconds or ISO 8601 with a zone ("2026-11-21T08:00:00Z"), or a day of UTC ("2026-11-21"); received an object', 'orders.list', { from: new Date(NaN) }],
    ['"from" must not be after "to"; "2026-02-01" is after "2026-01-31"', 'orders.list', { from: '2026-02-01', to: '2026-01-31' }],
    ['"from" must not be after "to"; "2026-02-01" is after "2026-01-31"', 'orders.listTransactions', { from: '2026-02-01', to: '2026-01-31' }],
    ['"from" must not be after "to"; "2026-02-01" is after "2026-01-31"', 'referral.getClicks', { from: '2026-02-01', to: '2026-01-31' }],
    ['"from" must not be after "to"; "2026-02-01" is after "2026-01-31"', 'referral.listSales', { from: '2026-02-01', to: '2026-01-31' }],
    ['"range" must have dates. Pass "from", "to" or both', 'referral.getAnalytics', {}],
    ['"from" must not be after "to"; "2026-02-01" is after "2026-01-31"', 'referral.getAnalytics', { from: '2026-02-01', to: '2026-01-31' }],
  ],
  'identifiers': [
    ['"publicId" is required and must be an identifier', 'orders.get', undefined],
    ['"publicId" must be an identifier; received ""', 'orders.get', ''],
    ['"publicId" must be an identifier; received 5', 'orders.get', 5],
    ['"publicId" must have at most 256 characters; received 257', 'orders.get', 'x'.repeat(257)],
    ['"publicId" must be a non-empty identifier without "/", "\\", "?", "#", "%" or white space, and not "." or ".."; received "a/b"', 'orders.get', 'a/b'],
    ['"publicId" must be a non-empty identifier without "/", "\\", "?", "#", "%" or white space, and not "." or ".."; received ".."', 'orders.get', '..'],
    ['"caseId" must be a non-empty identifier without "/", "\\", "?", "#", "%" or white space, and not "." or ".."; received "a/b"', 'brokerage.getCase', 'a/b'],
    ['"caseId" must be an identifier, and this value is the path of brokerage.checkEligibility', 'brokerage.getCase', 'eligibility'],
    ['"input" must identify an order. Pass "public_id"', 'orders.refund', {}],
    ['"input" must identify an order. Pass "public_id"', 'orders.refund', { reason: 'no' }],
    ['"public_id" must be a non-empty identifier without "/", "\\", "?", "#", "%" or white space, and not "." or ".."; received "a/b"', 'orders.refund', { public_id: 'a/b' }],
    ['"caseId" must be an identifier, and this value is the path of brokerage.checkEligibility', 'brokerage.getCase', 'Eligibility'],
    ['"input" must identify an order. Pass "public_id"', 'orders.refund', { public_id: undefined }],
  ],
  'what JSON and a query cannot hold': [
    ['"note" must not be a function: JSON has none', 'orders.create', { ...order, note: () => 1 }],
    ['"note" must not be a function: JSON has none', 'orders.resume', { input: { ...order, note: () => 1 }, idempotencyKey: 'k', startedAt }],
    ['"note" must not be a bigint: JSON has none', 'orders.create', { ...order, note: 5n }],
    ['"note[0]" must be a finite number; received NaN', 'orders.create', { ...order, note: [NaN] }],
    ['"note" must be an object of fields: an object would lose its state', 'orders.create', { ...order, note: new Map() }],
    ['"note" must be a valid Date; received an invalid one', 'orders.create', { ...order, note: new Date(NaN) }],
    ['"note" contains a lone surrogate, which cannot be encoded', 'orders.create', { ...order, note: 'a\ud800' }],
    ['"note.self" must not contain itself', 'orders.create', { ...order, note: cycle() }],
    ['"note" must be a string, a finite number, a boolean, a Date or an array of these; received an object', 'orders.list', { note: {} }],
    ['"note" contains a lone surrogate, which cannot be encoded as UTF-8', 'orders.list', { note: 'a\ud800' }],
    ['"note" must be a valid Date; received an invalid one', 'orders.list', { note: new Date(NaN) }],
  ],
  'options of a call': [
    ['"options" must be an object of options, such as { timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }', 'orders.get', 'ord_1', null],
    ['"options" must be an object of options, such as { timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }', 'orders.get', 'ord_1', 'payment-1001'],
    ['"options" must be an object of options, such as { timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }', 'orders.get', 'ord_1', new AbortController().signal],
    ['"options" must be an object of options, such as { timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }; await the Promise first', 'orders.get', 'ord_1', Promise.resolve({})],
    ['"region" is not an option; the options are timeoutMs, deadlineMs, maxRetries, signal, headers, context, idempotencyKey', 'orders.get', 'ord_1', { region: 'eu' }],
    ['"timeoutMs" must be a number of milliseconds above 0, at most 2147483647', 'orders.get', 'ord_1', { timeoutMs: 0 }],
    ['"deadlineMs" must be a number of milliseconds above 0, at most 2147483647', 'orders.get', 'ord_1', { deadlineMs: '5s' }],
    ['"maxRetries" must be a whole number from 0 to 100', 'orders.get', 'ord_1', { maxRetries: 101 }],
    ['"signal" must be an AbortSignal', 'orders.get', 'ord_1', { signal: 5 }],
    ['"headers" must be a plain object of names and values', 'orders.get', 'ord_1', { headers: new Map() }],
    ['"headers.Host" is set by the client and cannot be replaced', 'orders.get', 'ord_1', { headers: { Host: 'x' } }],
    ['"headers.Idempotency-Key" is set by the client and cannot be replaced; use the option "idempotencyKey"', 'orders.get', 'ord_1', { headers: { 'Idempotency-Key': 'k' } }],
    ['"headers.X A" is not a header name', 'orders.get', 'ord_1', { headers: { 'X A': 'x' } }],
    ['"headers.X-A" must be a string without line breaks or control characters', 'orders.get', 'ord_1', { headers: { 'X-A': 5 } }],
    ['"context" must be a plain object of names and values', 'orders.get', 'ord_1', { context: [] }],
    ['"context.a" must be a string, a finite number or a boolean', 'orders.get', 'ord_1', { context: { a: {} } }],
    ['"context" must have at most 32 fields', 'orders.get', 'ord_1', { context: manyFields(33) }],
    ['"idempotencyKey" must not be undefined. Pass the stored key, or leave the option out to have a key created', 'orders.create', order, { idempotencyKey: undefined }],
    ['"idempotencyKey" must be 1 to 255 visible ASCII characters; received null', 'orders.create', order, { idempotencyKey: null }],
    ['"idempotencyKey" must be 1 to 255 visible ASCII characters; received ""', 'orders.create', order, { idempotencyKey: '' }],
    ['"idempotencyKey" must be 1 to 255 visible ASCII characters; received "a b"', 'orders.create', order, { idempotencyKey: 'a b' }],
    ['"options" must be an object of options, such as { timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }', 'orders.create', order, 'payment-1001'],
    ['"options" must be an object of options, such as { timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }', 'orders.create', order, ['payment-1001']],
    ['"options" must be an object of options, such as { timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }; in a map(), write (each) => method(each), since it passes the index too', 'orders.create', order, 7],
    ['"options" must be an object of options, such as { timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }', 'orders.list', {}, null],
    ['"options" must be an object of options, such as { timeoutMs: 10_000 } or { idempotencyKey: "payment-1001" }', 'orders.list', {}, new Map()],
    ['"timeoutMS" is not an option; the options are timeoutMs, deadlineMs, maxRetries, signal, headers, context, idempotencyKey', 'orders.create', order, { timeoutMS: 5 }],
    ['"idempotency_key" is not an option; the options are timeoutMs, deadlineMs, maxRetries, signal, headers, context, idempotencyKey', 'orders.create', order, { idempotency_key: 'k' }],
    ['"deadlineMs" must be a number of milliseconds above 0, at most 2147483647', 'orders.create', order, { deadlineMs: 2 ** 31 }],
    ['"maxRetries" must be a whole number from 0 to 100', 'orders.create', order, { maxRetries: -1 }],
    ['"signal" must be an AbortSignal', 'orders.create', order, { signal: { aborted: false } }],
    ['"signal" must be an AbortSignal', 'orders.create', order, { signal: { aborted: false, addEventListener: () => undefined } }],
    ['"idempotencyKey" must be 1 to 255 visible ASCII characters; received "a\\r\\nX-Evil: 1"', 'orders.create', order, { idempotencyKey: 'a\r\nX-Evil: 1' }],
    ['"idempotencyKey" must be 1 to 255 visible ASCII characters; received "zahlung-ü"', 'orders.create', order, { idempotencyKey: 'zahlung-ü' }],
    ['"idempotencyKey" must be 1 to 255 visible ASCII characters; received "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…"', 'orders.create', order, { idempotencyKey: 'k'.repeat(256) }],
    ['"context" must be a plain object of names and values', 'orders.get', 'ord_1', { context: 'A-1001' }],
    ['"context" must be a plain object of names and values', 'orders.get', 'ord_1', { context: new Map([['a', 1]]) }],
    ['"context.a" must be a string, a finite number or a boolean', 'orders.get', 'ord_1', { context: { a: NaN } }],
  ],
  'a raw request': [
    ['"request" must be an object with a path, such as { path: "/orders" }', 'request', undefined],
    ['"request" must be an object with a path, such as { path: "/orders" }', 'request', '/orders'],
    ['"path" must be a path that starts with "/", such as "/orders"', 'request', { path: 'orders' }],
    ['/orders/../x: "path" has dot segments or characters that URLs escape, so it would not be sent as it is signed', 'request', { path: '/orders/../x' }],
    ['"method" must be an HTTP method such as GET or POST', 'request', { path: '/orders', method: 'G T' }],
    ['"body" must not be passed with GET or HEAD, which sign no body', 'request', { path: '/orders', method: 'GET', body: {} }],
    ['"repeatable" must be true or false', 'request', { path: '/orders', repeatable: 1 }],
    ['"pth" is not an option; the options are timeoutMs, deadlineMs, maxRetries, signal, headers, context, idempotencyKey, method, path, query, body, repeatable', 'request', { path: '/orders', pth: 1 }],
    ['"limit" must be a whole number from 1 up; received 0', 'request', { path: '/orders', query: { limit: 0 } }],
    ['"a" must be a string, a finite number or a boolean', 'request', { path: '/new', query: { a: {} } }],
    ['"query" must be a string, pairs, URLSearchParams or an object of parameters', 'request', { path: '/new', query: 5 }],
    ['"expected_price" must be a whole number of minor units (cents) above zero; received 0', 'request', { path: '/orders', method: 'POST', body: { expected_price: 0 } }],
    ['"body" must be a plain object of fields; received an array', 'request', { path: '/orders', method: 'POST', body: [] }],
    ['"a" must not be a bigint: JSON has none', 'request', { path: '/new', method: 'POST', body: { a: 5n } }],
    ['"request" must be an object with a path, such as { path: "/orders" }', 'request', null],
    ['"request" must be an object with a path, such as { path: "/orders" }', 'request', ['/orders']],
    ['"path" is required and must be a path that starts with "/", such as "/orders"', 'request', {}],
    ['"path" must be a path that starts with "/", such as "/orders"', 'request', { path: 5 }],
    ['/orders?status=SETTLED: "path" must not hold "?" or "#"; pass the query as "query"', 'request', { path: '/orders?status=SETTLED' }],
    ['/orders/{public_id}: "path" has dot segments or characters that URLs escape, so it would not be sent as it is signed', 'request', { path: '/orders/{public_id}' }],
    ['/orders\\u{d}\\u{a}X-Evil: 1: "path" must be percent-encoded with upper-case hex as it is on the wire', 'request', { path: '/orders\r\nX-Evil: 1' }],
    ['"method" must be an HTTP method such as GET or POST', 'request', { path: '/orders', method: 5 }],
    ['"body" must not be passed with GET or HEAD, which sign no body', 'request', { path: '/orders', method: 'head', body: {} }],
    ['"at" must be a finite number; received NaN', 'request', { path: '/orders', body: { at: NaN } }],
    ['"idempotency_key" is not an option; the options are timeoutMs, deadlineMs, maxRetries, signal, headers, context, idempotencyKey, method, path, query, body, repeatable', 'request', { path: '/orders', idempotency_key: 'k' }],
    ['"q" contains a lone surrogate, which cannot be encoded as UTF-8', 'request', { path: '/orders', query: { q: '\ud800' } }],
  ],
  'methods of several calls': [
    ['"names" must be a list of domain names, such as an array or a Set', 'domains.checkMany', 'brew.example'],
    ['"concurrency" must be a whole number from 1 to 64', 'domains.checkMany', ['brew.example'], { concurrency: 0 }],
    ['"idempotencyKey" is not an option; the options are timeoutMs, deadlineMs, maxRetries, signal, headers, context, concurrency, onProgress', 'domains.checkMany', ['brew.example'], { idempotencyKey: 'k' }],
    ['"onProgress" must be a function', 'domains.checkMany', ['brew.example'], { onProgress: 5 }],
    ['"options" must be an object of options, such as { concurrency: 4 }; in a map(), write (each) => method(each), since it passes the index too', 'domains.checkMany', ['brew.example'], 0],
    ['"publicId" must be a non-empty identifier without "/", "\\", "?", "#", "%" or white space, and not "." or ".."; received "a/b"', 'orders.waitFor', 'a/b', { until: 'SETTLED' }],
    ['"until" is required and must be a status, a list of them, or a function of the order', 'orders.waitFor', 'ord_1'],
    ['"until" is required and must be a status, a list of them, or a function of the order', 'orders.waitFor', 'ord_1', {}],
    ['"until" must be a status, a list of them, or a function of the order', 'orders.waitFor', 'ord_1', { until: 5 }],
    ['"until" must be a status, a list of them, or a function of the order', 'orders.waitFor', 'ord_1', { until: [] }],
    ['"until" must be a status, a list of them, or a function of the order', 'orders.waitFor', 'ord_1', { until: ['SETTLED', ''] }],
    ['"deadlineMs" must be a number of milliseconds above 0, at most 2147483647', 'orders.waitFor', 'ord_1', { until: 'SETTLED', deadlineMs: 0 }],
    ['"intervalMs" must be a number of milliseconds above 0, at most 2147483647', 'orders.waitFor', 'ord_1', { until: 'SETTLED', intervalMs: 0 }],
    ['"onPoll" must be a function', 'orders.waitFor', 'ord_1', { until: 'SETTLED', onPoll: 5 }],
    ['"sale" must be an object: { input, idempotencyKey, startedAt }', 'orders.resume', undefined],
    ['"idempotencyKey" is required and must be 1 to 255 visible ASCII characters', 'orders.resume', { input: order }],
    ['"idempotencyKey" must be 1 to 255 visible ASCII characters; received "a b"', 'orders.resume', { input: order, idempotencyKey: 'a b', startedAt: 0 }],
    ['"startedAt" must be a Date, Unix milliseconds or ISO 8601 with a zone ("2026-11-21T08:00:00Z")', 'orders.resume', { input: order, idempotencyKey: 'k', startedAt: 'yesterday' }],
    ['"startedAt" must be a Date, Unix milliseconds or ISO 8601 with a zone ("2026-11-21T08:00:00Z")', 'orders.resume', { input: order, idempotencyKey: 'k', startedAt: 1_700_000_000 }],
    ['"expected_price" must be a whole number of minor units (cents) above zero; received 0', 'orders.resume', { input: { ...order, expected_price: 0 }, idempotencyKey: 'k', startedAt }],
    ['"timeoutMs" must be a number of milliseconds above 0, at most 2147483647', 'orders.resume', { input: order, idempotencyKey: 'k', startedAt }, { timeoutMs: 0 }],
    ['"refund" must be an object: { input, startedAt }', 'orders.resumeRefund', undefined],
    ['"input" must identify an order. Pass "public_id"', 'orders.resumeRefund', { input: {}, startedAt }],
    ['"public_id" is required to find the refund', 'orders.resumeRefund', { input: { order: 'ord_1' }, startedAt }],
    ['"startedAt" must be a Date, Unix milliseconds or ISO 8601 with a zone ("2026-11-21T08:00:00Z")', 'orders.resumeRefund', { input: { public_id: 'ord_1' }, startedAt: 5 }],
    ['"repeat" must be "never" or "accept"', 'orders.resumeRefund', { input: { public_id: 'ord_1' }, startedAt }, { repeat: 'always' }],
    ['"case" must be an object: { input, startedAt }', 'brokerage.resumeCase', undefined],
    ['"domain" is required to find the case', 'brokerage.resumeCase', { input: brokerageCase, startedAt }],
    ['"domain" must be a domain name alone, such as "brew.example"; received "brew"', 'brokerage.resumeCase', { input: { ...brokerageCase, domain: 'brew' }, startedAt }],
    ['"names" is required and must be a list of domain names, such as an array or a Set', 'domains.checkMany', undefined],
    ['"names" must be a list of domain names, such as an array or a Set', 'domains.checkMany', {}],
    ['"concurrency" must be a whole number from 1 to 64', 'domains.checkMany', [], { concurrency: 65 }],
    ['"concurrency" must be a whole number from 1 to 64', 'domains.checkMany', [], { concurrency: 1.5 }],
    ['"concurrency" must be a whole number from 1 to 64', 'domains.checkMany', [], { concurrency: '4' }],
    ['"signal" must be an AbortSignal', 'domains.checkMany', [], { signal: 'stop' }],
    ['"options" must be an object of options, such as { concurrency: 4 }', 'domains.checkMany', [], null],
    ['"concurency" is not an option; the options are timeoutMs, deadlineMs, maxRetries, signal, headers, context, concurrency, onProgress', 'domains.checkMany', ['brew.example'], { concurency: 3 }],
    ['"timeoutMs" must be a number of milliseconds above 0, at most 2147483647', 'domains.checkMany', ['brew.example'], { timeoutMs: -1 }],
    ['"headers.Host" is set by the client and cannot be replaced', 'domains.checkMany', ['brew.example'], { headers: { Host: 'x' } }],
    ['"context" must be a plain object of names and values', 'domains.checkMany', ['brew.example'], { context: 'payment' }],
    ['"options" must be an object of options, such as { until: "TRANSFER_COMPLETED" }', 'orders.waitFor', 'ord_1', null],
    ['"options" must be an object of options, such as { until: "TRANSFER_COMPLETED" }', 'orders.waitFor', 'ord_1', 'SETTLED'],
    ['"options" must be an object of options, such as { until: "TRANSFER_COMPLETED" }', 'orders.waitFor', 'ord_1', ['SETTLED']],
    ['"options" must be an object of options, such as { until: "TRANSFER_COMPLETED" }; in a map(), write (each) => method(each), since it passes the index too', 'orders.waitFor', 'ord_1', 7],
    ['"until" must be a status, a list of them, or a function of the order', 'orders.waitFor', 'ord_1', { until: '' }],
    ['"until" must be a status, a list of them, or a function of the order', 'orders.waitFor', 'ord_1', { until: ['SETTLED', 5] }],
    ['"intervalMs" must be a number of milliseconds above 0, at most 2147483647', 'orders.waitFor', 'ord_1', { until: 'SETTLED', intervalMs: 2 ** 31 }],
    ['"maxIntervalMs" must be a number of milliseconds above 0, at most 2147483647', 'orders.waitFor', 'ord_1', { until: 'SETTLED', maxIntervalMs: '5' }],
    ['"onHeld" must be a function', 'orders.waitFor', 'ord_1', { until: 'SETTLED', onHeld: true }],
    ['"interval_ms" is not an option; the options are timeoutMs, deadlineMs, maxRetries, signal, headers, context, until, intervalMs, maxIntervalMs, onPoll, onHeld', 'orders.waitFor', 'ord_1', { until: 'SETTLED', interval_ms: 5 }],
    ['"idempotencyKey" is not an option; the options are timeoutMs, deadlineMs, maxRetries, signal, headers, context, until, intervalMs, maxIntervalMs, onPoll, onHeld', 'orders.waitFor', 'ord_1', { until: 'SETTLED', idempotencyKey: 'k' }],
    ['"timeoutMs" must be a number of milliseconds above 0, at most 2147483647', 'orders.waitFor', 'ord_1', { until: 'SETTLED', timeoutMs: 0 }],
  ],
  'options of a client': [
    ['"options" must be an object of options', 'new', null],
    ['"options" must be an object of options', 'new', 'https://market.example'],
    ['"options" must be an object of options; await the Promise first', 'new', Promise.resolve({})],
    ['"baseUrl", "keyId", "secret" are missing: pass them, or set MARKET_BASE_URL, MARKET_KEY_ID, MARKET_SECRET. No credential yet? "npx market-partner-sdk emulator --env" starts a local emulator and prints these variables.', 'new', {}],
    ['"baseUrl" is missing: pass it, or set MARKET_BASE_URL. No credential yet? "npx market-partner-sdk emulator --env" starts a local emulator and prints these variables.', 'new', { credentials: () => credential }],
    ['"region" is not an option; the options are baseUrl, keyId, secret, credentials, signer, timeoutMs, deadlineMs, maxRetries, maxRateLimitHoldMs, headers, validateResponses, profile, logger, dispatcher, fetch, proxy, clock, random, sleep, tracing, forbidLive, allowHttp, dangerouslyAllowBrowser, scopes, environment, partnerId', 'new', { ...client, region: 'eu' }],
    ['"environment" is not an option: the key id selects the environment, here "sandbox"', 'new', { ...client, environment: 'live' }],
    ['"baseUrl" must be a non-empty string. Pass it, or set MARKET_BASE_URL', 'new', { ...client, baseUrl: '' }],
    ['"baseUrl" must be a non-empty string. Pass it, or set MARKET_BASE_URL', 'new', { ...client, baseUrl: 5 }],
    ['"baseUrl" must be an absolute URL such as https://market.example', 'new', { ...client, baseUrl: 'market.example' }],
    ['"baseUrl" must be an https URL', 'new', { ...client, baseUrl: 'ftp://market.example' }],
    ['"baseUrl" must be https. Plain http is for loopback, and for an emulator that "allowHttp" names', 'new', { ...client, baseUrl: 'http://market.example' }],
    ['"baseUrl" must not hold a user name or password', 'new', { ...client, baseUrl: 'https://ada:tulip@market.example' }],
    ['"baseUrl" must not have a query or a fragment', 'new', { ...client, baseUrl: 'https://market.example?a=1' }],
    ['"baseUrl" must end before /api/partner, since the client adds that path itself', 'new', { ...client, baseUrl: 'https://market.example/api/partner' }],
    ['"keyId" must be a non-empty string. Pass it, or set MARKET_KEY_ID', 'new', { ...client, keyId: ' ' }],
    ['"keyId" must be the credential\'s key id: visible ASCII characters', 'new', { ...client, keyId: 'mk 1' }],
    ['"keyId" has quotation marks around it, as from an .env file: every signature would be refused', 'new', { ...client, keyId: '"mk_1"' }],
    ['"secret" must be a non-empty string. Pass it, or set MARKET_SECRET', 'new', { ...client, secret: 5 }],
    ['"secret" has leading or trailing white space, such as a file\'s last line break: every signature would be refused', 'new', { ...client, secret: 'tulip\n' }],
    ['"secret" has quotation marks around it, as from an .env file: every signature would be refused', 'new', { ...client, secret: "'tulip'" }],
    ['"credentials" and "keyId" cannot be combined', 'new', { ...client, credentials: () => credential }],
    ['"credentials" must be a function', 'new', { baseUrl: 'https://market.example', credentials: credential }],
    ['"credentials" must be a function, not a class', 'new', { baseUrl: 'https://market.example', credentials: class extends Map {} }],
    ['"signer" must be { keyId, sign() }', 'new', { baseUrl: 'https://market.example', signer: () => '' }],
    ['"keyId" must be the credential\'s key id: visible ASCII characters', 'new', { baseUrl: 'https://market.example', signer: { sign: () => '' } }],
    ['"timeoutMs" must be a number of milliseconds above 0, at most 2147483647', 'new', { ...client, timeoutMs: 0 }],
    ['"deadlineMs" must be a number of milliseconds above 0, at most 2147483647', 'new', { ...client, deadlineMs: Infinity }],
    ['"maxRetries" must be a whole number from 0 to 100', 'new', { ...client, maxRetries: 0.5 }],
    ['"maxRateLimitHoldMs" must be a number of milliseconds above 0, at most 2147483647', 'new', { ...client, maxRateLimitHoldMs: -1 }],
    ['"validateResponses" must be "off", "warn" or "error"', 'new', { ...client, validateResponses: 'throw' }],
    ['"logger" must be an object whose debug, info, warn and error, if it has them, are functions', 'new', { ...client, logger: { warn: 'yes' } }],
    ['"logger" must be an object whose debug, info, warn and error, if it has them, are functions', 'new', { ...client, logger: 'console' }],
    ['"dispatcher" must have a dispatch method, as those of undici 7 and 8 have', 'new', { ...client, dispatcher: {} }],
    ['"fetch" must be a function', 'new', { ...client, fetch: true }],
    ['"fetch" and "dispatcher" cannot be combined. Pass one', 'new', { ...client, fetch, dispatcher: { dispatch: () => true } }],
    ['"proxy" must be a string', 'new', { ...client, proxy: 5 }],
    ['"proxy" must be "environment" or an address such as http://proxy.example:3128', 'new', { ...client, proxy: 'proxy.example' }],
    ['"proxy" must be "environment" or an address without path, query and fragment', 'new', { ...client, proxy: 'http://proxy.example/path' }],
    ['"clock" must be a function', 'new', { ...client, clock: 5 }],
    ['"random" must be a function', 'new', { ...client, random: 0.5 }],
    ['"sleep" must be a function', 'new', { ...client, sleep: 5 }],
    ['"tracing" must be what openTelemetry() of market-partner-sdk/opentelemetry returns', 'new', { ...client, tracing: {} }],
    ['"forbidLive" must be true or false', 'new', { ...client, forbidLive: 'yes' }],
    ['"keyId" is a live key, and "forbidLive" allows only sandbox and test keys', 'new', { ...client, keyId: 'mk_live_1', forbidLive: true }],
    ['"allowHttp" must be an array of host names, such as ["emulator"]', 'new', { ...client, allowHttp: 'emulator' }],
    ['"allowHttp.0" must be a host name, such as "emulator"', 'new', { ...client, allowHttp: ['emulator:4010'] }],
    ['"dangerouslyAllowBrowser" must be true or false', 'new', { ...client, dangerouslyAllowBrowser: 1 }],
    ['"headers" must be a plain object of names and values', 'new', { ...client, headers: new Headers() }],
    ['"headers.Host" is set by the client and cannot be replaced', 'new', { ...client, headers: { Host: 'x' } }],
    ['"headers.X A" is not a header name', 'new', { ...client, headers: { 'X A': 'x' } }],
    ['"headers.X-A" must be a string without line breaks or control characters', 'new', { ...client, headers: { 'X-A': 5 } }],
    ['"region" is not an option; the options are baseUrl, keyId, secret, credentials, signer, timeoutMs, deadlineMs, maxRetries, maxRateLimitHoldMs, headers, validateResponses, profile, logger, dispatcher, fetch, proxy, clock, random, sleep, tracing, forbidLive, allowHttp, dangerouslyAllowBrowser, scopes, environment, partnerId', 'withOptions', { region: 'eu' }],
    ['"timeoutMs" must be a number of milliseconds above 0, at most 2147483647', 'withOptions', { timeoutMs: 0 }],
    ['"environment" is not an option: the key id selects the environment, here "sandbox"', 'withOptions', { environment: 'live' }],
    ['"options" must be an object of options', 'withOptions', undefined],
    ['"options" must be an object of options', 'new', [client]],
    ['"keyId" is missing: pass it, or set MARKET_KEY_ID. No credential yet? "npx market-partner-sdk emulator --env" starts a local emulator and prints these variables.', 'new', { baseUrl: 'https://market.example', secret: 'tulip' }],
    ['"secret" is missing: pass it, or set MARKET_SECRET. No credential yet? "npx market-partner-sdk emulator --env" starts a local emulator and prints these variables.', 'new', { baseUrl: 'https://market.example', keyId: 'mk_1' }],
    ['"baseUrl" must be a non-empty string. Pass it, or set MARKET_BASE_URL', 'new', { ...client, baseUrl: ' ' }],
    ['"baseUrl" must be a non-empty string. Pass it, or set MARKET_BASE_URL', 'new', { ...client, baseUrl: new URL('https://a.example') }],
    ['"baseUrl" must be https. Plain http is for loopback, and for an emulator that "allowHttp" names', 'new', { ...client, baseUrl: 'http://127.0.0.1.example' }],
    ['"baseUrl" must be https. Plain http is for loopback, and for an emulator that "allowHttp" names', 'new', { ...client, baseUrl: 'http://localhost.example' }],
    ['"baseUrl" must be https. Plain http is for loopback, and for an emulator that "allowHttp" names', 'new', { ...client, baseUrl: 'http://192.168.0.1' }],
    ['"baseUrl" must be https. Plain http is for loopback, and for an emulator that "allowHttp" names', 'new', { ...client, baseUrl: 'http://market.example', allowHttp: ['emulator'] }],
    ['"baseUrl" must not have a query or a fragment', 'new', { ...client, baseUrl: 'https://market.example/#' }],
    ['"baseUrl" must have one scheme, and begins with two', 'new', { ...client, baseUrl: 'https://https://market.example' }],
    ['"baseUrl" must end before /api/partner, since the client adds that path itself', 'new', { ...client, baseUrl: 'https://m.example/gw/api/partner/v1/' }],
    ['"keyId" must be a non-empty string. Pass it, or set MARKET_KEY_ID', 'new', { ...client, keyId: 5 }],
    ['"keyId" has leading or trailing white space, such as a file\'s last line break: every signature would be refused', 'new', { ...client, keyId: 'mk_sandbox_1\n' }],
    ['"secret" must be a non-empty string. Pass it, or set MARKET_SECRET', 'new', { ...client, secret: '' }],
    ['"secret" has quotation marks around it, as from an .env file: every signature would be refused', 'new', { ...client, secret: '"tulip"' }],
    ['"keyId" has quotation marks around it, as from an .env file: every signature would be refused', 'new', { ...client, keyId: "'mk_1'" }],
    ['"signer" and "keyId" cannot be combined', 'new', { baseUrl: 'https://market.example', keyId: 'mk_1', signer: { keyId: 'mk_1', sign: () => '' } }],
    ['"signer" and "secret" cannot be combined', 'new', { baseUrl: 'https://market.example', secret: 'tulip', signer: { keyId: 'mk_1', sign: () => '' } }],
    ['"credentials" and "secret" cannot be combined', 'new', { baseUrl: 'https://market.example', secret: 'tulip', credentials: () => credential }],
    ['"credentials" and "signer" cannot be combined', 'new', { baseUrl: 'https://market.example', credentials: () => credential, signer: { keyId: 'mk_1', sign: () => '' } }],
    ['"environment" is not an option: the key id selects the environment, here "unknown"', 'new', { baseUrl: 'https://market.example', credentials: () => credential, environment: 'sandbox' }],
    ['"signer" is a live key, and "forbidLive" allows only sandbox and test keys', 'new', { baseUrl: 'https://market.example', forbidLive: true, signer: { keyId: 'mk_live_1', sign: () => '' } }],
    ['"signer" must be { keyId, sign() }', 'new', { baseUrl: 'https://market.example', signer: { keyId: 'mk_1' } }],
    ['"timeoutMs" must be a number of milliseconds above 0, at most 2147483647', 'new', { ...client, timeoutMs: '5s' }],
    ['"timeoutMs" must be a number of milliseconds above 0, at most 2147483647', 'new', { ...client, timeoutMs: null }],
    ['"maxRetries" must be a whole number from 0 to 100', 'new', { ...client, maxRetries: 101 }],
    ['"maxRetries" must be a whole number from 0 to 100', 'new', { ...client, maxRetries: null }],
    ['"maxRateLimitHoldMs" must be a number of milliseconds above 0, at most 2147483647', 'new', { ...client, maxRateLimitHoldMs: 0 }],
    ['"maxRateLimitHoldMs" must be a number of milliseconds above 0, at most 2147483647', 'new', { ...client, maxRateLimitHoldMs: '5' }],
    ['"fetch" must be a function, not a class', 'new', { ...client, fetch: class extends Map {} }],
    ['"clock" must be a function, not a class', 'new', { ...client, clock: class extends Map {} }],
    ['"proxy" must be "environment" or an address such as http://proxy.example:3128', 'new', { ...client, proxy: '' }],
    ['"proxy" must be "environment" or an address such as http://proxy.example:3128', 'new', { ...client, proxy: 'socks5://proxy.example:1080' }],
    ['"proxy" must be "environment" or an address whose login writes "%" as "%25"', 'new', { ...client, proxy: 'http://ada:100%hunter2@proxy.example' }],
    ['"fetch" and "proxy" cannot be combined. Pass one', 'new', { ...client, proxy: 'http://proxy.example:3128', fetch }],
    ['"dispatcher" and "proxy" cannot be combined. Pass one', 'new', { ...client, proxy: 'http://proxy.example:3128', dispatcher: { dispatch: () => true } }],
    ['"headers" must be a plain object of names and values', 'new', { ...client, headers: [['a', 'b']] }],
    ['"headers.idempotency-key" is set by the client and cannot be replaced; use the option "idempotencyKey"', 'new', { ...client, headers: { 'idempotency-key': 'k' } }],
    ['"keyId" is a key whose environment is unknown, and "forbidLive" allows only sandbox and test keys', 'new', { ...client, keyId: '1f0c', forbidLive: true }],
    ['"keyId" is a live key, and "allowHttp" allows only sandbox and test keys', 'new', { ...client, keyId: 'mk_live_1', baseUrl: 'http://emulator:4010', allowHttp: ['emulator'] }],
    ['"timeout_ms" is not an option; the options are baseUrl, keyId, secret, credentials, signer, timeoutMs, deadlineMs, maxRetries, maxRateLimitHoldMs, headers, validateResponses, profile, logger, dispatcher, fetch, proxy, clock, random, sleep, tracing, forbidLive, allowHttp, dangerouslyAllowBrowser, scopes, environment, partnerId', 'new', { ...client, timeout_ms: 5 }],
  ],
};

beforeAll(() => {
  for (const name of ['MARKET_BASE_URL', 'MARKET_KEY_ID', 'MARKET_SECRET']) vi.stubEnv(name, '');
});

afterAll(() => {
  vi.unstubAllEnvs();
});

describe.each(Object.entries(tables))('the sentence about %s', (_subject, rows) => {
  for (const [sentence, name, ...args] of rows) {
    it(`${name}: ${sentence.slice(0, 200)}`, async () => {
      const { market, sent } = mockMarket([okResponse()]);
      const error = await rejectionOf(callOf(market, name, args));
      expect(sentenceOf(error)).toBe(sentence);
      const [, field] = /"([^"]+)"/.exec(sentence) ?? [];
      if (name === 'new' || name === 'withOptions') {
        expect(error).toMatchObject({ name: 'ConfigurationError', option: field });
      } else {
        expect(error).toMatchObject({
          name: 'InvalidRequestError',
          outcome: 'not_sent',
          attempts: 0,
        });
        expect(error).toHaveProperty('issues.0.path', field);
        expect(error.message).toContain('Nothing was sent.');
      }
      expect(JSON.stringify(error)).not.toMatch(secrets);
      expect(sent).toEqual([]);
    });
  }
});

/** Without the method and path in front, and "Nothing was sent" behind, which every refused call has. */
function sentenceOf({ message }: Error): string {
  return message.replace(/^[A-Z]+ \/\S+: /, '').replace(/\. Nothing was sent.*$/s, '');
}

async function callOf(market: MarketClient, name: string, args: unknown[]): Promise<unknown> {
  if (name === 'new') return new MarketClient(args[0] as object);
  if (name === 'request' || name === 'withOptions') return market[name](args[0] as never);
  const [group = '', method = ''] = name.split('.');
  const methods = market[group as 'orders'] as unknown as Record<
    string,
    (...all: unknown[]) => unknown
  >;
  const result = methods[method]?.(...args);
  // What yields results one by one checks its arguments before the first.
  return name === 'domains.checkMany' ? (result as AsyncIterator<unknown>).next() : result;
}

function manyFields(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`field_${at}`, at]));
}

function cycle(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
