// How the examples print: a few aligned lines, in colour where a person reads them.

import { styleText } from 'node:util';
import { formatAmount, MarketError } from 'market-partner-sdk';

const colour = (format, text) => (process.stdout.isTTY ? styleText(format, text) : text);

export function title(text, where) {
  console.log(`\n${colour('bold', text)}`);
  note(where);
}

export function note(text) {
  console.log(colour('dim', `${text}\n`));
}

let steps = 0;

export function step(name, call) {
  steps += 1;
  const number = colour('green', `${String(steps).padStart(2)}.`);
  console.log(`${number} ${colour('bold', name.padEnd(24))} ${colour('dim', call)}`);
}

export function row(label, value) {
  console.log(`    ${String(label).padEnd(28)} ${value}`.trimEnd());
}

/** What a program branches on when a call fails. */
export function facts(error) {
  const { name, code, outcome, idempotencyKey } = error;
  row(colour('yellow', name), [code, outcome && `outcome: ${outcome}`].filter(Boolean).join(', '));
  if (idempotencyKey !== undefined) row('', `key: ${idempotencyKey}`);
}

/** An error that nobody handled: its facts and its advice. A TypeError is a bug and has its stack. */
export function failure(error) {
  const { name, message, outcome, idempotencyKey } = error;
  const isExpected = error instanceof MarketError || error.constructor === Error;
  if (!isExpected) return console.error(error);
  console.error(`\n${name}: ${message}`);
  if (outcome !== undefined) console.error(`outcome: ${outcome}`);
  if (idempotencyKey !== undefined) console.error(`key: ${idempotencyKey}`);
}

/** One line that is written over where a person reads it; a line for each quarter elsewhere. */
export function progress(done, total, what) {
  const text = `    ${String(done).padStart(String(total).length)} of ${total} ${what}`;
  if (process.stdout.isTTY) process.stdout.write(`\r${text}${done === total ? '\n' : ''}`);
  else if (done === total || done % Math.ceil(total / 4) === 0) console.log(text);
}

/** A price as people write it, or that there is none: every price of a record may be absent. */
export function price(minorUnits, currency = 'USD') {
  return minorUnits === undefined ? 'no price' : formatAmount(minorUnits, currency, 'en');
}

/** A link without the token in its last part or in `pt`: the token alone gives access. */
export function withoutToken(link) {
  const { origin, pathname, search } = new URL(link);
  return search === ''
    ? `${origin}${pathname.replace(/[^/]+$/, '…')}`
    : `${origin}${pathname}?pt=…`;
}
