/** A rehearsal at a service of another form: a right program with the profile is green, one without it sells nothing. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Profile } from 'market-partner-sdk';
import { hasSqlite } from '../../durable/support/find-sqlite.js';
import { rightPrograms } from './programs.mjs';
import { rehearse, temporaryFolder } from './run-rehearsal.js';

const outbox = rightPrograms.find(({ name }) => name === 'outbox-sqlite')!;
const played = [
  'raw-body',
  'delivery-forged',
  'price-rose',
  'odd-price',
  'lost-after-work',
  'order-cancelled',
];

const profiles: Readonly<Record<string, Omit<Profile, 'version'>>> = {
  'camel case, prices in major units, epoch times': {
    naming: { case: 'camel' },
    amounts: { form: 'number', unit: 'major', sent: 'major' },
    dates: { form: 'seconds' },
    paging: { by: 'page', pages: 'totalPages' },
  },
  'other names in inputs and events, errors with 200': {
    inputs: {
      order: { fields: { domain: 'name', expected_price: 'price' }, add: { accept_terms: true } },
      quote: { fields: { domain: 'name' } },
      refund: { fields: { public_id: 'order' } },
    },
    fields: { event: { data: 'payload' }, order: { domain: 'name' }, detail: { domain: 'name' } },
    statuses: { PAID: 'EXTERNALLY_PAID' },
    errors: { code: 'error.code', message: 'error.message', in200: { at: 'ok', is: false } },
  },
};

describe.skipIf(!hasSqlite()).concurrent('rehearse --profile', () => {
  it.each(Object.entries(profiles))('%s', async (_form, keys) => {
    const file = join(await temporaryFolder(), 'market.profile.json');
    await writeFile(file, JSON.stringify({ version: 1, ...keys }));
    const cases = played.flatMap((name) => ['--only', name]);
    const { code, out, report } = await rehearse(outbox, ...cases, '--profile', file);
    const red = report.results.filter(({ status }) => status !== 'held');
    expect({ red, out: red.length === 0 ? '' : out }).toEqual({ red: [], out: '' });
    expect([code, report.couldNotRun]).toEqual([0, null]);
  });
});
