import { describe, expect, it } from 'vitest';
import { Page } from 'market-partner-sdk';
import { isSigned } from '../../support/signature-check.js';
import { everyCall } from '../../specification.js';
import { credential, mockMarket } from '../../support/mock-market.js';

const given = { publicId: 'ord_1', caseId: 'case_1' };

/** Fits every call: all documented fields, and a list. */
const record = {
  items: [],
  zebra: { kept: [1, 2] },
  public_id: 'ord_1',
  domain: 'brew.example',
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 250_000,
  currency: 'USD',
  available: true,
  checkout_url: 'https://market.example/checkout?pt=x',
  url: 'https://shop.example/hooks',
  active: true,
  created_at: '2026-11-21T08:00:00Z',
  alpha: null,
};

describe('every call of the specification', () => {
  for (const row of everyCall) {
    describe(`${row.name}: ${row.method} ${row.target.split('?')[0] ?? ''}`, () => {
      it('sends the method, the canonical target and the canonical body, once', async () => {
        const { market, sent } = mockMarket(() => record);
        await row.invoke(market, given);
        expect(sent).toHaveLength(1);
        expect(sent[0]).toMatchObject({
          method: row.method,
          target: `/api/partner${row.target}`,
          body: row.body ?? '',
        });
      });

      it('signs what it sends, and sends no header that it should not', async () => {
        const { market, sent } = mockMarket(() => record);
        await row.invoke(market, given);
        const { headers } = sent[0]!;
        expect(isSigned(sent[0]!, credential)).toBe(true);
        expect(headers['user-agent']).toMatch(/^market-partner-sdk\/\d+\.\d+\.\d+ \w+\/[\d.]+/);
        expect(headers.accept).toBe('application/json');
        expect(headers['content-type']).toBe(
          row.body === undefined ? undefined : 'application/json',
        );
        expect('idempotency-key' in headers).toBe(row.keyed === true);
      });

      it('gives the JSON itself: every field, in its order', async () => {
        const { market } = mockMarket(() => record);
        const promise = row.invoke(market, given);
        const { data, response } = await promise.withResponse();
        expect(JSON.stringify(response.body)).toBe(JSON.stringify(record));
        if (row.paged === true) {
          expect(data).toBeInstanceOf(Page);
          expect(data).toHaveProperty('items', (response.body as typeof record).items);
          expect(data).toHaveProperty('body', response.body);
        } else if (row.name !== 'domains.search') {
          expect(data).toBe(response.body);
        }
      });

      it('takes options as its last argument', async () => {
        const { market, sent } = mockMarket(() => record);
        await row.invoke(market, given, {
          headers: { 'X-Gateway-Key': 'gw' },
          idempotencyKey: 'my-own-key',
        });
        expect(sent[0]?.headers).toMatchObject({
          'x-gateway-key': 'gw',
          'idempotency-key': 'my-own-key',
        });
      });
    });
  }
});
