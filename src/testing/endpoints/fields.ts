/** Reads request fields strictly. Fields that no endpoint reads are ignored. */

import { normalizeDomain } from '../domain-name.js';
import { ServiceError } from '../service-error.js';

type Values = Readonly<Record<string, unknown>>;

/** The fields of a JSON body or of a query. Each method throws an error that names the field. */
export class FieldReader {
  readonly #values: Values;
  readonly #prefix: string;

  constructor(values: Values, prefix = '') {
    this.#values = values;
    this.#prefix = prefix;
  }

  static ofJson(body: Buffer): FieldReader {
    let parsed: unknown;
    try {
      parsed = JSON.parse(body.toString('utf8'));
    } catch {
      throw new ServiceError('validation_error', 'The body is not JSON.');
    }
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
      throw new ServiceError('validation_error', 'The body must be a JSON object.');
    }
    return new FieldReader(parsed as Values);
  }

  /** The value of a field that must be there: what another method has read. */
  required<Value>(name: string, value: Value | undefined): Value {
    return value ?? this.#fail(name, 'is required');
  }

  text(name: string): string | undefined {
    const value = this.#valueOf(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value.trim() === '')
      this.#fail(name, 'must be a non-empty string');
    return value;
  }

  requiredText(name: string): string {
    return this.required(name, this.text(name));
  }

  domain(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    return (
      normalizeDomain(text) ?? this.#fail(name, `is not a domain name: ${JSON.stringify(text)}`)
    );
  }

  requiredDomain(name: string): string {
    return this.required(name, this.domain(name));
  }

  /** Money: whole cents, as a JSON number. */
  cents(name: string): number | undefined {
    const value = this.#valueOf(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
      this.#fail(name, 'must be a whole number of cents, zero or more');
    }
    return value;
  }

  positiveNumber(name: string): number | undefined {
    const value = this.#valueOf(name);
    if (value === undefined) return undefined;
    // JSON.parse reads 1e999 as Infinity.
    if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(value))
      this.#fail(name, 'must be a number above zero');
    return value;
  }

  matching(name: string, pattern: RegExp, rule: string): string | undefined {
    const text = this.text(name);
    if (text !== undefined && !pattern.test(text)) this.#fail(name, rule);
    return text;
  }

  currency(name: string): string | undefined {
    return this.matching(name, /^[A-Z]{3}$/, 'must be a currency code of three capital letters');
  }

  email(name: string): string | undefined {
    return this.matching(name, /^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');
  }

  url(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const isWeb = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
    return isWeb ? text : this.#fail(name, 'must be an absolute http or https URL');
  }

  oneOf(name: string, known: readonly string[]): string | undefined {
    const text = this.text(name);
    if (text !== undefined && !known.includes(text)) {
      this.#fail(name, `must be one of ${known.join(', ')}`);
    }
    return text;
  }

  object(name: string): FieldReader | undefined {
    const value = this.#valueOf(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) this.#fail(name, 'must be an object');
    return new FieldReader(value as Values, `${this.#prefix}${name}.`);
  }

  /** A whole number of a query. */
  count(name: string): number | undefined {
    const text = this.#valueOf(name);
    if (text === undefined) return undefined;
    if (typeof text !== 'string' || !/^[1-9]\d*$/.test(text)) {
      this.#fail(name, 'must be a whole number above zero');
    }
    return Number(text);
  }

  /** An ISO date or date-time; a date as `to` covers its whole day. */
  instant(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
    const isDateTime =
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/.test(text);
    const instant = Date.parse(text);
    if (!(isDate || isDateTime) || Number.isNaN(instant) || !isCalendarDay(text.slice(0, 10))) {
      this.#fail(name, 'must be an ISO 8601 date, or a date-time with its offset');
    }
    return isDate && name === 'to' ? instant + 86_399_999 : instant;
  }

  #valueOf(name: string): unknown {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
    return value === null ? undefined : value;
  }

  #fail(name: string, rule: string): never {
    throw new ServiceError('validation_error', `"${this.#prefix}${name}" ${rule}.`);
  }
}

/** The month has that day: Date.parse takes 30 February for 1 or 2 March. */
function isCalendarDay(date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date);
}
