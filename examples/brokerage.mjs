// Has the service acquire a domain that is not for sale: from the question whether it can to the deal.
// With the emulator, the answer to the new case is lost: a second case would do harm, so the
// client does not repeat the call, and the example looks before it would.
//
//   node examples/brokerage.mjs

import { MarketError } from 'market-partner-sdk';
import { fault } from 'market-partner-sdk/testing';
import { connect } from './connect.mjs';
import { facts, price, note, row, step, title, withoutToken } from './print.mjs';

const { market, emulator, where, close } = await connect({
  scopes: ['broker', 'report', 'webhook'],
});
title('A brokerage case, from eligibility to close', where);
const wanted = 'wanted-name.example';

step('May it be brokered?', 'market.brokerage.checkEligibility(domain)');
for (const domain of ['busy-shop.example', wanted]) {
  const { eligible, reason } = await market.brokerage.checkEligibility(domain);
  row(domain, eligible ? 'yes' : `no: ${reason}`);
}

step('Open a case', 'market.brokerage.openCase(input)');
// The service works, and its answer is lost on the way.
emulator?.faults.on('POST /brokerage', fault.resetAfterWork(), { times: 1 });
const opened = await openOnce({
  domain: wanted,
  tier: 'managed',
  buyer_email: 'ada@buyer.example',
  budget: 5_000,
});
const caseId = opened.case_id ?? '';
row('case', `${caseId}, ${opened.status}`);
// The buyer follows it without a login. Send it to the buyer only: the link itself gives access.
if (opened.progress_url !== undefined) row('progress link', withoutToken(opened.progress_url));

step('Ask again', 'market.brokerage.checkEligibility(domain)');
const { eligible, reason } = await market.brokerage.checkEligibility(wanted);
row(wanted, eligible ? 'yes' : `no: ${reason}`);

if (emulator === undefined) {
  await close();
  note(
    'The brokers work on it now. brokerage.case_completed tells you of a deal; getCase of the rest.',
  );
} else {
  // What the service's brokers do, some days later.
  emulator.clock.advance('3 days');
  emulator.admin.closeCase(caseId, { outcome: 'deal', price_cents: 420_000 });

  step('The deal', 'market.events.list()');
  for await (const event of market.events.list()) row(event.type, event.created_at);

  step('The case', 'market.brokerage.getCase(caseId)');
  const closed = await market.brokerage.getCase(caseId);
  row(`${closed.status}, ${closed.outcome}`, '');
  for (const { at, status, note: remark } of closed.timeline ?? []) row(at, `${status}  ${remark}`);

  step('Your share', 'market.orders.listPayouts(), after the settlement run');
  emulator.admin.settle();
  for await (const { source, amount_cents, currency, paid_at } of market.orders.listPayouts()) {
    row(source, `${price(amount_cents, currency)} at ${paid_at}`);
  }
  await close();
  note(`${wanted} was acquired. A case without a deal is closed without an event: read it.`);
}

/** Opens a case; where nobody knows whether it was opened, looks for it instead of opening another. */
async function openOnce(input) {
  try {
    return await market.brokerage.openCase(input);
  } catch (error) {
    if (!(error instanceof MarketError) || error.outcome !== 'unknown') throw error;
    facts(error);
    row('not repeated', 'market.brokerage.listCases() tells whether it is there');
    for await (const found of market.brokerage.listCases()) {
      if (found.domain === input.domain && found.status === 'OPEN') return found;
    }
    row('not there', 'so it is opened now');
    return market.brokerage.openCase(input);
  }
}
