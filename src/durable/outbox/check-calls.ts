/** Checks of the arguments of an outbox's methods. */

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
import { invalidOption } from '../options.js';
import type { WaitForOptions } from './outbox-api.js';
import type { AddOptions } from './outbox-store.js';
import type { OutboxListOptions } from './outbox-types.js';

export function checkAdd<Tx, AddTx>(options: AddOptions<Tx, AddTx>): AddOptions<Tx, AddTx> {
  const checked = checkOptions<AddOptions<Tx, AddTx>>(
    { tx: true, write: callback },
    options,
    invalidOption,
  );
  for (const name of ['write', 'tx'] as const) {
    // A variable that was never set: without it the intent would outlive a payment that is rolled back.
    if (Object.hasOwn(options, name) && options[name] === undefined) {
      throw invalidOption(name, 'is undefined: leave it out to store the intent by itself');
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
  return checkOptions<{ readonly tx: AddTx }>({ tx: required(isPassed) }, options, invalidOption);
}

export function checkWaitFor(options: WaitForOptions): WaitForOptions {
  return checkOptions<WaitForOptions>(
    { timeoutMs: wholeNumber(0), signal: abortSignal },
    options,
    invalidOption,
  );
}

export function checkDrain(options: { readonly maxMs: number }): { readonly maxMs: number } {
  return checkOptions<{ readonly maxMs: number }>(
    { maxMs: required(wholeNumber(1)) },
    options,
    invalidOption,
  );
}

export function checkStop(options: { readonly graceMs?: number }): { readonly graceMs?: number } {
  return checkOptions<{ readonly graceMs?: number }>(
    { graceMs: wholeNumber(0) },
    options,
    invalidOption,
  );
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
    invalidOption,
  );
  return { state, limit, cursor };
}
