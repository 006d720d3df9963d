/** `checkProfile`: a profile in its checked form, or the error that names its first mistake. */

import * as z from 'zod/mini';
import { isDocumentedCode } from '../errors/api-error-class.js';
import { invalidOption } from '../errors/configuration-error.js';
import { recordFields, type RecordName } from '../record-fields.js';
import { isPlainObject } from '../../core/json.js';
import {
  anything,
  boolean,
  checkOptions,
  lazily,
  must,
  obey,
  oneOf,
  optional,
  strict,
  string,
  text,
  wholeNumber,
  type Schema,
} from '../../core/schema/options.js';
import { ruled } from '../../core/schema/must.js';
import type { InputName, Place, Profile } from './profile.js';

/** The names of the inputs, as docs/assumptions.md lists them. */
export const inputFields: Readonly<Record<InputName, readonly string[]>> = {
  quote: ['domain', 'currency', 'expected_price'],
  order: [
    ...['domain', 'expected_price', 'currency', 'buyer', 'return_url', 'cancel_url'],
    ...['quote_id', 'external_payment_ref'],
  ],
  refund: ['public_id', 'reason'],
  checkout: ['domain', 'currency', 'expected_price', 'buyer', 'return_url', 'cancel_url'],
  case: ['domain', 'tier', 'buyer_email', 'budget'],
  link: ['type', 'domain', 'product'],
};

const ourStatuses = [
  ...['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'],
  ...['REFUNDED', 'CANCELLED', 'MANUAL_REVIEW'],
] as const;

/** What an event is known and kept by: no profile moves it. */
const fixedFields = new Set(['event.id', 'event.type']);

const placeRule = 'must be a place in JSON, as names with dots between them or a list';

function isNames(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((each) => each !== '' && typeof each === 'string')
  );
}

const place = () => must<Place>(placeRule, (value) => typeof value === 'string' || isNames(value));
const orNull = <S extends Schema<unknown>>(schema: S) => z.nullable(schema);
const list = <S extends Schema<unknown>>(schema: S) => z.array(schema, ruled('must be a list'));

/** An object whose names are the caller's. */
function mapOf<S extends Schema<unknown>>(value: S) {
  return must<Record<string, unknown>>('must be an object', isPlainObject).check(
    z.superRefine((map, context) => {
      for (const [name, each] of Object.entries(map)) {
        const result = z.safeParse(value, each);
        if (result.success) continue;
        const { path = [], message = '' } = result.error.issues[0] ?? {};
        context.addIssue({ code: 'custom', path: [name, ...path], message });
      }
    }),
  ) as unknown as Schema<Readonly<Record<string, z.output<S>>>>;
}

const records = Object.keys(recordFields) as RecordName[];

/** An object with a member for each record, or none. */
function byRecord<S extends Schema<unknown>>(schemaOf: (record: RecordName) => S) {
  const shape = Object.fromEntries(records.map((record) => [record, optional(schemaOf(record))]));
  return strict(shape) as unknown as Schema<Readonly<Partial<Record<RecordName, z.output<S>>>>>;
}

const fieldPlace = () =>
  must<Place | { in: Place } | null>(
    `${placeRule}; { "in": ... } for seconds from now on; or null`,
    (value) =>
      value === null ||
      (typeof value === 'string' && value !== '') ||
      isNames(value) ||
      (isPlainObject(value) &&
        Object.keys(value).join() === 'in' &&
        ((typeof value.in === 'string' && value.in !== '') || isNames(value.in))),
  );

const fieldsOfRecord = (record: RecordName) =>
  strict(
    Object.fromEntries(
      Object.keys(recordFields[record])
        .filter((name) => !fixedFields.has(`${record}.${name}`))
        .map((name) => [name, optional(fieldPlace())]),
    ),
  ).check(
    z.superRefine((fields, context) => {
      const message = findCollision(record, fields);
      if (message !== undefined) context.addIssue({ code: 'custom', path: [], message });
    }),
  );

/** Two of our fields would have one value; or a field the value that another one has by its name. */
function findCollision(record: RecordName, fields: Readonly<Record<string, unknown>>) {
  const taken = new Map<string, string>();
  for (const [name, at] of Object.entries(fields)) {
    if (at === null || at === undefined) continue;
    const key = JSON.stringify(at);
    const other = taken.get(key);
    if (other !== undefined) return `must not have "${name}" and "${other}" at one place`;
    taken.set(key, name);
    const isOurs = typeof at === 'string' && at !== name && at in recordFields[record];
    if (isOurs && !(at in fields)) return `must not have "${name}" where "${at}" is`;
  }
  return undefined;
}

const amountForm = () => ({
  form: optional(oneOf('integer', 'text', 'number', 'object')),
  at: optional(place()),
  unit: optional(oneOf('minor', 'major')),
  suffix: optional(string()),
});

const dateForm = () => oneOf('iso', 'seconds', 'milliseconds');

const inputProfile = (input: InputName) => {
  const known = inputFields[input];
  const name = () =>
    must<string>(`must be a field of the input: ${known.join(', ')}`, (value) =>
      known.includes(String(value)),
    );
  const byField = <S extends Schema<unknown>>(schema: S) =>
    strict(Object.fromEntries(known.map((each) => [each, optional(schema)])));
  return strict({
    fields: optional(byField(text())),
    add: optional(
      obey<Record<string, unknown>>((value) => {
        if (!isPlainObject(value)) return 'must be an object';
        const taken = Object.keys(value).find((each) => known.includes(each));
        return taken === undefined ? undefined : `must not replace "${taken}", which has a value`;
      }),
    ),
    omit: optional(list(name())),
    copy: optional(mapOf(place())),
    words: optional(byField(mapOf(text()))),
  });
};

const pagingOf = () => {
  const common = {
    end: optional(list(oneOf('null', 'absent', '', 'same'))),
    more: optional(orNull(text())),
    ignore: optional(list(text())),
    size: optional(text()),
  };
  const by = {
    cursor: strict({ by: anything(), next: optional(place()), param: optional(text()), ...common }),
    link: strict({ by: anything(), next: place(), ...common }),
    last: strict({ by: anything(), param: text(), id: optional(text()), ...common }),
    page: strict({
      by: anything(),
      param: optional(text()),
      first: optional(wholeNumber(0)),
      pages: optional(orNull(place())),
      ...common,
    }),
    offset: strict({
      by: anything(),
      param: optional(text()),
      total: optional(orNull(place())),
      ...common,
    }),
    none: strict({ by: anything(), ...common }),
  };
  const ways = Object.keys(by) as [keyof typeof by, ...(keyof typeof by)[]];
  return must<NonNullable<Profile['paging']>>('must be an object', isPlainObject).check(
    z.superRefine((paging, context) => {
      const way = z.safeParse(oneOf(...ways), paging.by);
      const result = way.success ? z.safeParse<Schema<unknown>>(by[way.data], paging) : way;
      if (result.success) return;
      const { path = [], message = '' } = result.error.issues[0] ?? {};
      context.addIssue({ code: 'custom', path: way.success ? path : ['by'], message });
    }),
  );
};

const documentedCode = () =>
  must<string>('must be a documented code', (value) => isDocumentedCode(String(value)));

/** Made when the first profile is checked: a client without one pays nothing. */
const profileSchema = lazily(() =>
  strict({
    version: z.literal(1, ruled('must be 1')),
    lists: optional(
      strict({
        items: optional(z.union([string(), list(string())], ruled(placeRule))),
        item: optional(place()),
        id: optional(orNull(place())),
        empty: optional(list(oneOf('list', 'null', 'absent', '204', '404'))),
        except: optional(
          mapOf(strict({ items: z.union([string(), list(string())], ruled(placeRule)) })),
        ),
      }),
    ),
    paging: optional(pagingOf()),
    records: optional(
      strict({
        at: optional(place()),
        id: optional(orNull(place())),
        except: optional(byRecord(place)),
      }),
    ),
    errors: optional(
      strict({
        code: optional(orNull(place())),
        message: optional(place()),
        codes: optional(mapOf(documentedCode())),
        in200: optional(orNull(strict({ at: place(), is: anything() }))),
      }),
    ),
    naming: optional(
      strict({ case: optional(oneOf('snake', 'camel')), id: optional(orNull(text())) }),
    ),
    fields: optional(byRecord(fieldsOfRecord)),
    statuses: optional(mapOf(oneOf(...ourStatuses))),
    amounts: optional(
      strict({
        ...amountForm(),
        except: optional(byRecord(() => strict(amountForm()))),
        sent: optional(oneOf('minor', 'major')),
      }),
    ),
    dates: optional(strict({ form: optional(dateForm()), except: optional(byRecord(dateForm)) })),
    filters: optional(
      strict({
        from: optional(text()),
        to: optional(text()),
        form: optional(oneOf('iso', 'day', 'seconds')),
      }),
    ),
    events: optional(
      strict({
        order: optional(oneOf('oldest', 'newest')),
        after: optional(oneOf('older', 'newer')),
        inclusive: optional(boolean()),
      }).check(
        z.refine(
          ({ order, after }) => after !== 'older' || order === 'newest',
          'must have "order": "newest" where "after" is "older"',
        ),
      ),
    ),
    inputs: optional(
      strict(
        Object.fromEntries(
          (Object.keys(inputFields) as InputName[]).map((input) => [
            input,
            optional(inputProfile(input)),
          ]),
        ),
      ),
    ),
    open: optional(list(text())),
  }),
);

/**
 * A profile in its checked form.
 *
 * @throws {@link ConfigurationError} with the path of the first key that breaks a rule: `"profile.paging.by" must be ...`.
 */
export function checkProfile(profile: unknown): Profile {
  return checkOptions(profileSchema, profile, invalidOption, {
    within: 'profile',
    example: '{ version: 1 }',
  }) as unknown as Profile;
}
