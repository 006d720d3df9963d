/** The routes of the control API: `/_emulator/v1` and these paths, named after the program's names. */

import * as z from 'zod/mini';
import { toMs } from '../../core/moment.js';
import { ruled } from '../../core/schema/must.js';
import { boolean, optional, string, text, wholeNumber } from '../../core/schema/options.js';
import { webhookFields } from '../admin.js';
import { credentialFields } from '../credentials.js';
import { deliveryFault } from '../faults/delivery-faults.js';
import { eventFrequency, frequency } from '../faults/fault-options.js';
import { closingFields, serializeCase } from '../market/brokerage.js';
import { listingFields } from '../market/inventory.js';
import { lookUpCase } from '../market/lookup.js';
import { staffTransitions } from '../market/orders.js';
import { referralSaleFields } from '../market/referral.js';
import { emittedFields, partnerFields } from '../market/synthetic-event.js';
import { EmulatorError } from '../service-error.js';
import type { EmulatorSnapshot } from '../snapshot.js';
import { cents, domain, duration, environment, record } from '../values.js';
import { faultNames, readFaults } from './fault-input.js';
import { readRoutes, showFaults, showOrder } from './read-routes.js';
import { nothing, write, type Route } from './route.js';
import { viewClock } from './views.js';

/** For the document of the API, which has the fields of each fault. */
const describedFault = { allOf: [{ $ref: '#/components/schemas/Fault' }] };

const ofDomain = () => ({ domain: domain(), environment: environment() });
const time = () => {
  const rule = 'must be Unix milliseconds, or ISO 8601 with a zone ("2026-11-21T08:00:00Z")';
  const isMoment = (it: string | number) => !Number.isNaN(toMs(it));
  return z.union([string(), z.number()], ruled(rule)).check(z.refine(isMoment, rule));
};
const ofDelay = () => ({ duration: duration() });

const ofCalls = () => {
  const one = z.union([string(), record().check(z.meta(describedFault))]);
  const rule = ruled(`must be one of ${faultNames.join(', ')}, or an array of them`);
  return { fault: z.union([one, z.array(one)], rule), ...frequency() };
};

type ActionOfOne =
  | 'expireQuote'
  | 'payCheckout'
  | 'recordReferralClick'
  | 'recordReferralCheckout'
  | 'reverseReferralSale'
  | 'deliverAgain';

/** A row for an action of the staff that takes what the path names, and nothing else. */
function writeOf(record: `/${string}/{${string}}`, action: ActionOfOne, summary: string): Route {
  return write(
    `${record}/${action}`,
    summary,
    nothing,
    ({ admin }, named: Record<string, string>) => admin[action](Object.values(named)[0] ?? ''),
  );
}

/** Every route; literal paths come before paths with a placeholder in the same position. */
export const routes: readonly Route[] = [
  ...readRoutes,
  ...staffTransitions.map((name) =>
    write(
      `/orders/{publicId}/${name}`,
      'Moves an order on, and emits the event of the move.',
      nothing,
      (target, { publicId }) => {
        target.admin[name](publicId);
        return showOrder(target, { publicId });
      },
    ),
  ),
  write(
    '/holdNextOrder',
    'Holds the next orders for manual review.',
    () => ({ count: optional(wholeNumber(1)) }),
    ({ admin }, { count }) => admin.holdNextOrder(count),
  ),
  write(
    '/holdNextRefund',
    'Lets the next refunds that a partner requests wait.',
    () => ({ count: optional(wholeNumber(1)) }),
    ({ admin }, { count }) => admin.holdNextRefund(count),
  ),
  write('/settle', 'Closes the period: statements and payouts.', nothing, ({ admin }) =>
    admin.settle(),
  ),
  write(
    '/cases/{caseId}/closeCase',
    'Ends a brokerage case, with a deal unless told otherwise.',
    closingFields,
    ({ admin, market, baseUrl }, { caseId, ...closing }) => {
      admin.closeCase(caseId, closing);
      return serializeCase(lookUpCase(market, caseId).found, baseUrl);
    },
  ),
  writeOf('/sessions/{sessionId}', 'payCheckout', 'The buyer pays at a hosted checkout.'),
  write(
    '/list',
    'Puts a domain on sale.',
    () => ({ ...listingFields(), environment: environment() }),
    ({ admin }, { environment, ...listing }) => admin.list(listing, environment),
  ),
  write(
    '/reprice',
    'Changes the price of a domain; quotes keep theirs.',
    () => ({ ...ofDomain(), price_cents: cents() }),
    ({ admin }, { domain, price_cents, environment }) =>
      admin.reprice(domain, price_cents, environment),
  ),
  writeOf('/quotes/{quoteId}', 'expireQuote', 'Ends a quote at once.'),
  write('/delist', 'Takes a domain off sale.', ofDomain, ({ admin }, { domain, environment }) =>
    admin.delist(domain, environment),
  ),
  write(
    '/markActiveSite',
    'Says whether a domain runs a site, which cannot be brokered.',
    () => ({ domain: domain(), isActive: optional(boolean()) }),
    ({ admin }, { domain, isActive }) => admin.markActiveSite(domain, isActive),
  ),
  writeOf('/links/{linkId}', 'recordReferralClick', 'A visitor follows a tracking link.'),
  writeOf(
    '/links/{linkId}',
    'recordReferralCheckout',
    'A visitor of a tracking link begins a checkout.',
  ),
  write(
    '/links/{linkId}/recordReferralSale',
    'A visitor of a tracking link buys a domain.',
    referralSaleFields,
    ({ admin }, { linkId, ...sale }) => admin.recordReferralSale(linkId, sale),
  ),
  writeOf(
    '/sales/{saleId}',
    'reverseReferralSale',
    'Cancels a referral sale, and reverses its commission.',
  ),
  write(
    '/registerWebhook',
    "Registers a partner's webhook.",
    () => ({ ...webhookFields(), ...partnerFields() }),
    ({ admin }, { url, secret, ...partner }) => admin.registerWebhook(url, secret, partner),
  ),
  write(
    '/emitEvent',
    'Emits an event of any type, about an order or with any data.',
    () => ({ type: text(), ...emittedFields() }),
    ({ admin }, { type, ...options }) => admin.emitEvent(type, options),
  ),
  writeOf('/events/{eventId}', 'deliverAgain', 'Delivers an event once more.'),

  write(
    '/faults/next',
    'Arms faults for the next calls.',
    ofCalls,
    (target, { fault, ...options }) => {
      target.faults.next(readFaults(fault), options);
      return showFaults(target);
    },
  ),
  write(
    '/faults/on',
    'Arms faults for the calls of an endpoint.',
    () => ({ match: string(), ...ofCalls() }),
    (target, { match, fault, ...options }) => {
      target.faults.on(match, readFaults(fault), options);
      return showFaults(target);
    },
  ),
  write('/faults/clear', 'Removes every fault.', nothing, ({ faults }) => faults.clear()),
  write('/faults/{id}/remove', 'Removes a fault.', nothing, ({ faults }, { id }) => {
    if (faults.remove(id)) return;
    throw new EmulatorError(`There is no armed fault ${id}.`, 'not_found');
  }),
  write(
    '/faults/deliveries/next',
    'Arms a fault for the next deliveries of webhooks.',
    () => ({ fault: deliveryFault(), ...eventFrequency() }),
    (target, { fault, ...options }) => {
      target.faults.deliveries.next(fault, options);
      return showFaults(target);
    },
  ),
  write(
    '/faults/history/late',
    'The history shows events late.',
    () => ({ ...ofDelay(), ...eventFrequency() }),
    (target, { duration, ...options }) => {
      target.faults.history.late(duration, options);
      return showFaults(target);
    },
  ),
  write(
    '/faults/orderList/late',
    'The list of orders shows them late.',
    () => ({ ...ofDelay(), ...frequency() }),
    (target, { duration, ...options }) => {
      target.faults.orderList.late(duration, options);
      return showFaults(target);
    },
  ),

  write('/clock/advance', 'Moves the clock forward.', ofDelay, ({ clock }, { duration }) => {
    clock.advance(duration);
    return viewClock(clock);
  }),
  write(
    '/clock/set',
    'Sets the clock to a date, or to Unix milliseconds.',
    () => ({ time: time() }),
    ({ clock }, { time: at }) => {
      clock.set(toMs(at));
      return viewClock(clock);
    },
  ),
  write('/credentials', 'Issues a credential.', credentialFields, ({ credentials }, options) =>
    credentials.issue(options),
  ),
  write(
    '/credentials/{keyId}/revealSecret',
    "The secret of a credential, and that of its partner's webhook.",
    nothing,
    ({ credentials, market }, { keyId }) => {
      const found = credentials.find(keyId);
      if (found === undefined) {
        throw new EmulatorError(`There is no credential ${keyId}.`, 'not_found');
      }
      const { webhook } = market.account(found.partnerId, found.environment);
      return { keyId, secret: found.secret, webhookSecret: webhook?.secret };
    },
  ),
  write('/idle', 'Waits until every delivery that is due has ended.', nothing, (target) =>
    target.deliveryQueue.idle(),
  ),
  write('/reset', 'Back to the start; credentials stay valid.', nothing, ({ state }) =>
    state.reset(),
  ),
  write('/snapshot', 'The whole state with its secrets, for "restore".', nothing, ({ state }) =>
    state.snapshot(),
  ),
  write(
    '/restore',
    'Puts the state of a snapshot in the place of the present one.',
    () => ({ snapshot: record() }),
    ({ state }, { snapshot }) => state.restore(snapshot as unknown as EmulatorSnapshot),
  ),
  write('/saveState', 'Writes the state to the file of --state.', nothing, async (target) => {
    if (target.saveState !== undefined) return target.saveState();
    throw new EmulatorError('There is no state file. Start with --state FILE.');
  }),
];
