/** Schemas of the values in a record: text, identifiers, codes, money, addresses. */

import * as z from 'zod/mini';
import { lazily, ruled, type Schema } from '../../core/schema/must.js';
import { isPathSegment, pathSegmentRule } from '../protocol/path.js';
import { describeValue, expected, quote } from './describe-value.js';
import { parseUrl } from '../../core/parse-url.js';

/** A quoted local part and an address literal are refused, too. */
const emailForm =
  /^[^\s\p{Cc}@<>()[\]\\,;:"]+@(?=.*[.\u{80}-\u{10ffff}])[a-z0-9\-\u{80}-\u{10ffff}]+(?:\.[a-z0-9\-\u{80}-\u{10ffff}]+)*$/iu;

const maxIdLength = 256;
const maxKeyLength = 255;

/** A lone surrogate has no UTF-8 form: a replacement character would arrive in its place. */
export const loneSurrogateRule = 'contains a lone surrogate, which cannot be encoded';

/** A name, a reason, a reference: any text that is not blank. Sent as given. */
export const text = lazily(() => textOf(expected('a string that is not blank')));

/** A secret. Its messages never repeat any part of it. */
export const secret = lazily(() => textOf(ruled('must be a string that is not blank')));

/** An identifier that the service assigned, as one segment of a path. */
export const pathId = lazily(() =>
  parsed('an identifier', (id) => {
    if (id.length > maxIdLength)
      return `must have at most ${maxIdLength} characters; received ${id.length}`;
    return isPathSegment(id) ? undefined : `must be ${pathSegmentRule}; received ${quote(id)}`;
  }),
);

/** An Idempotency-Key: it travels in a header (specification, part 5). */
export const idempotencyKey = lazily(() => {
  const rule = expected(`1 to ${maxKeyLength} visible ASCII characters`);
  return z.string(rule).check(z.maxLength(maxKeyLength, rule), z.regex(/^[!-~]+$/, rule));
});

/** A currency code such as `USD`; sent in upper case (specification, part 2). */
export const currency = lazily(() => letterCode('three letters, such as "USD"', /^[a-z]{3}$/i));

/** A country code such as `GB`; sent in upper case (specification, part 2). */
export const country = lazily(() => letterCode('two letters, such as "GB"', /^[a-z]{2}$/i));

/** Who runs a brokerage case: one of two words (specification, part 2). */
export const brokerageTier = lazily(() =>
  z.enum(['managed', 'self_serve'], expected('"managed" or "self_serve"')),
);

/** Money in minor currency units (specification, part 2). A fraction is refused. */
export const money = lazily(() => wholeFrom1('a whole number of minor units (cents) above zero'));

/** Records on a page. The service's own bounds are not shown (specification, part 8). */
export const pageLimit = lazily(() => wholeFrom1('a whole number from 1 up'));

/** A buyer's budget. Its unit is not shown in the specification, so a fraction is accepted. */
export const budget = lazily(() => {
  const rule = numberRule('a finite number above zero');
  return z.number(rule).check(z.gt(0, rule));
});

/**
 * An e-mail address, as far as it can be checked without sending a message. Messages never repeat
 * the address: it is personal data, and they end up in logs.
 */
export const email = lazily(() => {
  const rule = ruled('must be an e-mail address');
  return z.string(rule).check(z.regex(emailForm, rule));
});

/** An absolute http or https URL. Sent as given. */
export const httpUrl = lazily(() => {
  const rule = expected('an absolute http or https URL');
  return z.string(rule).check(
    broken((url) => {
      const refused = rule.error({ input: url });
      // URL parsers repair these characters silently, each in its own way.
      if (/[\s\p{Cc}\\]/u.test(url))
        return `${refused}, which has white space, a control character or a backslash`;
      const authority = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1];
      if (authority === undefined || parseUrl(url) === undefined) return refused;
      return authority.includes('@') ? 'must not have a user name or a password in it' : undefined;
    }),
  );
});

/** A value of a database, whose NULL is an absent one. */
export function nullAsAbsent<T>(schema: Schema<T>): Schema<T | undefined> {
  const withoutNull = z.transform((value: T | null | undefined) => value ?? undefined);
  return z.pipe(z.nullish(schema), withoutNull);
}

/** A string in a form that `violation` reads; it returns the rule that the string breaks. */
export function parsed(what: string, violation: (text: string) => string | undefined) {
  const rule = expected(what);
  return z.string(rule).check(z.minLength(1, { ...rule, abort: true }), broken(violation));
}

/** A check whose message is the rule that the string breaks. */
function broken(violation: (text: string) => string | undefined) {
  return z.check<string>(({ value, issues }) => {
    const message = violation(value);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  });
}

function textOf(rule: ReturnType<typeof ruled>) {
  return z.string(rule).check(
    z.refine((text) => text.trim() !== '', rule),
    z.refine((text) => text.isWellFormed(), loneSurrogateRule),
  );
}

function letterCode(what: string, form: RegExp) {
  const rule = expected(what);
  return z.pipe(
    z.string(rule).check(z.regex(form, rule)),
    z.transform((text) => text.toUpperCase()),
  );
}

function wholeFrom1(what: string) {
  const rule = numberRule(what);
  return z.int(rule).check(z.minimum(1, rule));
}

/** Money often comes from a form or a database as a string or a bigint. */
function numberRule(what: string) {
  const other = expected(what);
  return ruled((value) => {
    const isNumeric = typeof value === 'string' && value.trim() !== '' && Number.isFinite(+value);
    if (isNumeric || typeof value === 'bigint')
      return `must be a number, not a ${typeof value}; received ${describeValue(value)}`;
    return Number.isInteger(value) && Number(value) > Number.MAX_SAFE_INTEGER
      ? `must be at most ${Number.MAX_SAFE_INTEGER} (Number.MAX_SAFE_INTEGER); received ${describeValue(value)}`
      : other.error({ input: value });
  });
}
