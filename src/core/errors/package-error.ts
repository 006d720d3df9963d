/** PackageError: the base of every error class of this package, with `setFacts` for the fields of an error. */

import { describeCause } from './cause.js';
import { escapeInvisible } from './escape-invisible.js';

const brand = Symbol.for('market-partner-sdk.error');
const inspect = Symbol.for('nodejs.util.inspect.custom');

/**
 * Classes are recognized by a brand on their prototype, not by identity: a program that loads the
 * package both as ESM and as CommonJS, or in two bundles, has two copies of each class, and
 * `instanceof` must hold across them. The brand is also the `name`, so that it survives minifying.
 */
export abstract class PackageError extends Error {
  constructor(message: string, facts: object = {}, options?: { cause?: unknown }) {
    super(escapeInvisible(message));
    if (options?.cause !== undefined) setCause(this, options.cause);
    setFacts(this, facts);
  }

  /** Recognized by a brand: this holds across all copies of the class that a program loads. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const kind = brandOf(this.prototype);
    // A partner's own subclass has no brand of its own and is recognized by identity.
    if (kind === undefined) return Function.prototype[Symbol.hasInstance].call(this, value);
    return brandChain(value).includes(kind);
  }

  /** The error as plain data for a log line or a worker: name, message, facts, and the cause in brief. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, message: this.message, ...factsOf(this) };
  }

  /** @internal The stack and the facts, with the cause in brief: a cause may hold a whole request. */
  [inspect](_depth: number, options: object, format?: (value: unknown, options: object) => string) {
    const stack = this.stack ?? `${this.name}: ${this.message}`;
    const facts = factsOf(this);
    if (format === undefined || Object.keys(facts).length === 0) return stack;
    return `${stack} ${format(facts, options)}`;
  }
}

/** Gives a class its name and the brand by which `instanceof` knows it. */
export function brandClass(errorClass: { readonly prototype: object }, name: string): void {
  // Node prints the class of an uncaught error, and pino that of `err`: minified, it would be "Ye".
  Object.defineProperty(errorClass, 'name', { value: name, configurable: true });
  for (const [key, writable] of [
    [brand, false],
    ['name', true],
  ] as const) {
    Object.defineProperty(errorClass.prototype, key, { value: name, configurable: true, writable });
  }
}

/**
 * Sets the facts that are known as enumerable fields; unknown ones are left absent. They can be
 * written: web frameworks write to any error that reaches them.
 */
export function setFacts(error: object, facts: object): void {
  for (const [key, value] of Object.entries(facts)) {
    if (value !== undefined) define(error, key, value, true);
  }
}

/** `structuredClone` and a worker's messages copy the cause of an error, and fail for a function in it. */
export function setCause(error: object, cause: unknown): void {
  if (isCloneable(cause)) {
    define(error, 'cause', cause, false);
    return;
  }
  Object.defineProperty(error, 'cause', {
    get: () => cause, // a getter is not copied
    set: (value: unknown) => define(error, 'cause', value, false),
    configurable: true,
  });
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

function define(error: object, key: string, value: unknown, enumerable: boolean): void {
  const traits = { enumerable, configurable: true, writable: true };
  Object.defineProperty(error, key, { value, ...traits });
}

function factsOf(error: Error): Record<string, unknown> {
  const cause = causeInBrief(error);
  return {
    ...Object.fromEntries(Object.entries(error)),
    ...(cause === undefined ? {} : { cause }),
  };
}

function causeInBrief({ cause }: Error): string | undefined {
  try {
    return describeCause(cause);
  } catch {
    return 'an error that cannot be read';
  }
}

function brandOf(prototype: object): unknown {
  return Object.getOwnPropertyDescriptor(prototype, brand)?.value as unknown;
}

function brandChain(value: unknown): unknown[] {
  const brands: unknown[] = [];
  if (typeof value !== 'object') return brands;
  for (let at: unknown = value; at !== null; at = Object.getPrototypeOf(at)) {
    brands.push(brandOf(at as object));
  }
  return brands;
}
