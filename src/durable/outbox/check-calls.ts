/** Checks of the arguments of an outbox's methods. */

import {
  abortSignal,
  callback,
  nonEmptyString,
  oneOf,
  optionCheck,
  required,
  wholeNumber,
  withMethods,
  type OptionCheck,
} from '../../options.js';
import { checkDurableOptions, invalidOption } from '../options.js';
import type { WaitForOptions } from './outbox-api.js';
import type { AddOptions } from './outbox-store.js';
import { textRule } from '../queue/check-jobs.js';
import type { OrderOutboxOptions } from './outbox-options.js';
import type { OutboxListOptions, OutboxState, RefundRequest } from './outbox-types.js';

const states: readonly OutboxState[] = [
  'waiting',
  'placing',
  'placed',
  'refused',
  'refunding',
  'refunded',
  'attention',
];

const reasonCheck: OptionCheck = (value) => nonEmptyString(value) ?? textRule(value);

const refundingMarket = withMethods('orders.refund', 'orders.resumeRefund');

/** @throws {@link DurableConfigurationError} also where nothing would send a refund, or hear of its end */
export function checkRefund<Tx, AddTx>(
  request: RefundRequest,
  options: OrderOutboxOptions<Tx, AddTx>,
): RefundRequest {
  for (const name of ['onRefunded', 'onNotRefunded'] as const) {
    if (options[name] === undefined) throw invalidOption(name, 'is required to call refund()');
  }
  const rule = refundingMarket(options.market);
  if (rule !== undefined) throw invalidOption('market', rule);
  return checkDurableOptions({ reason: required(reasonCheck) }, request);
}

export function checkAdd<Tx, AddTx>(options: AddOptions<Tx, AddTx>): AddOptions<Tx, AddTx> {
  const checked = checkDurableOptions({ tx: true, write: callback }, options);
  for (const name of ['write', 'tx'] as const) {
    // A variable that was never set: without it the intent would outlive a payment that is rolled back.
    if (Object.hasOwn(options, name) && options[name] === undefined) {
      throw invalidOption(name, 'is undefined: leave it out to store the sale by itself');
    }
  }
  if (checked.tx === undefined || checked.write === undefined) return checked;
  throw invalidOption(
    'write',
    'cannot be used with "tx": the engine runs it in a transaction of its own',
  );
}

export function checkAddSync<AddTx>(options: { readonly tx: AddTx }): { readonly tx: AddTx } {
  const isPassed = optionCheck('must be the database of the engine', (it) => it !== undefined);
  return checkDurableOptions({ tx: required(isPassed) }, options);
}

export function checkWaitFor(options: WaitForOptions): WaitForOptions {
  return checkDurableOptions({ timeoutMs: wholeNumber(0), signal: abortSignal }, options);
}

export function checkList(options: OutboxListOptions): OutboxListOptions & { limit: number } {
  const table = {
    state: required(oneOf(...states)),
    limit: wholeNumber(1),
    cursor: nonEmptyString,
  };
  const { state, limit = 100, cursor } = checkDurableOptions(table, options);
  return { state, limit, cursor };
}
