/** Checks of the arguments of an outbox's methods. */

import * as z from 'zod/mini';
import {
  abortSignal,
  anything,
  callback,
  lazily,
  must,
  oneOf,
  optional,
  strict,
  string,
  wholeNumber,
  withDefault,
  withMethods,
  type Fields,
} from '../../core/schema/options.js';
import { ruled } from '../../core/schema/must.js';
import { checkDurableOptions, invalidOption, reason } from '../options.js';
import { pageFields } from '../queue/page.js';
import { listedStates } from './list-entries.js';
import type { WaitForOptions } from './outbox-api.js';
import type { AddOptions } from './outbox-store.js';
import type { OutboxSettings } from './outbox-options.js';
import type { OutboxListOptions, RefundRequest } from './outbox-types.js';

const refundSchema = lazily(() => strict({ reason: reason() } satisfies Fields<RefundRequest>));

const refundingMarket = lazily(() => withMethods('orders.refund', 'orders.resumeRefund'));

/** @throws {@link DurableConfigurationError} also where nothing would send a refund, or hear of its end */
export function checkRefund<Tx, AddTx>(
  request: RefundRequest,
  settings: OutboxSettings<Tx, AddTx>,
): RefundRequest {
  for (const name of ['onRefunded', 'onNotRefunded'] as const) {
    if (settings[name] === undefined) throw invalidOption(name, 'is required to call refund()');
  }
  checkDurableOptions(refundingMarket, settings.market, 'market');
  return checkDurableOptions(refundSchema, request, 'request');
}

const addSchema = lazily(() =>
  strict({ tx: optional(anything()), write: optional(callback<(tx: never) => unknown>()) }),
);

export function checkAdd<Tx, AddTx>(options: AddOptions<Tx, AddTx>): AddOptions<Tx, AddTx> {
  const checked = checkDurableOptions(addSchema, options) as AddOptions<Tx, AddTx>;
  for (const name of ['write', 'tx'] as const) {
    // A variable that was never set: without it the sale would outlive a payment that is rolled back.
    if (Object.hasOwn(options, name) && checked[name] === undefined) {
      throw invalidOption(name, 'is undefined. Leave it out to store the sale by itself');
    }
  }
  if (checked.tx === undefined || checked.write === undefined) return checked;
  throw invalidOption(
    'write',
    'cannot be used with "tx", since the engine runs it in a transaction of its own',
  );
}

export const addSyncSchema = lazily(() =>
  strict({ tx: must('must be the database of the engine', (it) => it !== undefined) }),
);

/** More may be in it: it is the order of an event, or of a response. */
export const orderSchema = lazily(() =>
  z.object(
    { public_id: string(), domain: optional(string()) },
    ruled('must be an order, with its public_id'),
  ),
);

export const waitForSchema = lazily(() =>
  strict({
    timeoutMs: withDefault(wholeNumber(0), 30_000),
    signal: optional(abortSignal()),
  } satisfies Fields<WaitForOptions>),
);

export const listSchema = lazily(() =>
  strict({
    state: optional(oneOf(...listedStates)),
    ...pageFields(),
  } satisfies Fields<OutboxListOptions>),
);
