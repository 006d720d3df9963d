/** Checks of what the methods of an outbox receive. */

import {
  abortSignal,
  callback,
  checkOptions,
  nonEmptyString,
  oneOf,
  optionCheck,
  required,
  wholeNumber,
} from '../../options.js';
import type { WaitForOptions } from './outbox-api.js';
import { invalid } from './outbox-options.js';
import type { AddOptions } from './outbox-store.js';
import type { OutboxListOptions } from './outbox-types.js';

export function checkAdd<Tx, AddTx>(options: AddOptions<Tx, AddTx>): AddOptions<Tx, AddTx> {
  const checked = checkOptions<AddOptions<Tx, AddTx>>(
    { tx: true, write: callback },
    options,
    invalid,
  );
  if (checked.tx === undefined || checked.write === undefined) return checked;
  throw invalid('write', 'does not go with "tx": the engine runs it in a transaction of its own');
}

export function checkAddSync<AddTx>(options: { readonly tx: AddTx }): { readonly tx: AddTx } {
  const isPassed = optionCheck('must be the database of the engine', (it) => it !== undefined);
  return checkOptions<{ readonly tx: AddTx }>({ tx: required(isPassed) }, options, invalid);
}

export function checkWaitFor(options: WaitForOptions): WaitForOptions {
  return checkOptions<WaitForOptions>(
    { timeoutMs: wholeNumber(0), signal: abortSignal },
    options,
    invalid,
  );
}

export function checkDrain(options: { readonly maxMs: number }): { readonly maxMs: number } {
  return checkOptions<{ readonly maxMs: number }>(
    { maxMs: required(wholeNumber(1)) },
    options,
    invalid,
  );
}

export function checkStop(options: { readonly graceMs?: number }): { readonly graceMs?: number } {
  return checkOptions<{ readonly graceMs?: number }>({ graceMs: wholeNumber(0) }, options, invalid);
}

export function checkList(options: OutboxListOptions): OutboxListOptions & { limit: number } {
  const {
    state,
    limit = 100,
    cursor,
  } = checkOptions<OutboxListOptions>(
    {
      state: required(oneOf('waiting', 'placing', 'placed', 'refused', 'attention')),
      limit: wholeNumber(1),
      cursor: nonEmptyString,
    },
    options,
    invalid,
  );
  return { state, limit, cursor };
}
