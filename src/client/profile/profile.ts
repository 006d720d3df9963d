/** Profile: how one service answers where the specification says "not shown", as data. */

import type { RecordName } from '../record-fields.js';

/**
 * Where a value is in JSON: names with dots between them (`meta.cursors.after`), or a list of names where a name has a
 * dot (`["@odata.nextLink"]`). Empty text is the JSON itself.
 */
export type Place = string | readonly string[];

/**
 * Where a field of a record is: from the record, or from the body with `/` before it (`/timeline`). `{ in }`: a number of
 * seconds from the response on, for a date. `null`: the service has no such field, and what has its name is another.
 */
export type FieldPlace = Place | { readonly in: Place } | null;

/** The calls whose input a profile may change. */
export type InputName = 'quote' | 'order' | 'refund' | 'checkout' | 'case' | 'link';

/** How an input is sent. */
export interface InputProfile {
  /** Our name to the service's: `{ "domain": "domain_name" }`. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Fields that each request has besides: no documented one. */
  readonly add?: Readonly<Record<string, unknown>>;
  /** Fields that are not sent. */
  readonly omit?: readonly string[];
  /**
   * The service's name to a place in the input; for a refund also in the order, and for the outbox's quote in the order
   * input of the sale: `{ "amount_cents": "sale_price_cents" }`.
   */
  readonly copy?: Readonly<Record<string, Place>>;
  /** Our words to the service's by our field; `*` stands for all others: `{ "reason": { "*": "other" } }`. */
  readonly words?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The form of amounts, by default of all records. */
export interface AmountProfile {
  /** How they are written. `'object'`: `{ amount, currency }`. */
  readonly form?: 'integer' | 'text' | 'number' | 'object';
  /** With `form: 'object'`: where the amount is in it. */
  readonly at?: Place;
  /** `'major'`: 2500 or "2500.00" is 250,000 cents. */
  readonly unit?: 'minor' | 'major';
  /** What the names of amounts end with in place of `_cents`: `""` for `price`. */
  readonly suffix?: string;
}

/** How a list leads to its next page. */
export type PagingProfile = {
  /** What an empty `next` looks like on the last page. */
  readonly end?: readonly ('null' | 'absent' | '' | 'same')[];
  /** A flag that says that there is more: `has_more`. With `!` before it, one that says that there is not: `!last`. */
  readonly more?: string | null;
  /** Words of the envelope that say nothing about this list: `total`, `header:x-total-count`. */
  readonly ignore?: readonly string[];
  /** The parameter of the page's length. */
  readonly size?: string;
} & (
  | { readonly by: 'cursor'; readonly next?: Place; readonly param?: string }
  | { readonly by: 'link'; readonly next: Place }
  /** By the id of the last item, as Stripe has it. */
  | { readonly by: 'last'; readonly param: string; readonly id?: string }
  | {
      readonly by: 'page';
      readonly param?: string;
      /** The number of the first page: 1. */
      readonly first?: number;
      /** Where the number of pages is. */
      readonly pages?: Place | null;
    }
  | { readonly by: 'offset'; readonly param?: string; readonly total?: Place | null }
  | { readonly by: 'none' }
);

/**
 * How one service answers where the specification says "not shown": closed JSON, made by
 * `doctor --learn` and committed with your program. A key that is absent is read as tolerantly as without a profile; a key
 * that is there is exact, and a response that contradicts it is an `UnexpectedResponseError` that names the key.
 *
 * @example
 * ```ts
 * import { MarketClient, type Profile } from 'market-partner-sdk';
 *
 * const profile: Profile = {
 *   version: 1,
 *   naming: { case: 'camel' },
 *   paging: { by: 'last', param: 'starting_after', more: 'has_more' },
 * };
 * const market = new MarketClient({ profile });
 * ```
 */
export interface Profile {
  readonly version: 1;
  readonly lists?: {
    /** Where the list is. `{noun}` is the list's own name. Several are read one after the other. */
    readonly items?: string | readonly string[];
    /** Where the record is in an item: `attributes`. */
    readonly item?: Place;
    /** Where the record's id is in an item, if it is beside the record. */
    readonly id?: Place | null;
    /** What "none" looks like. A 404 counts with the code `not_found` alone. */
    readonly empty?: readonly ('list' | 'null' | 'absent' | '204' | '404')[];
    /** Lists that differ, by their noun. */
    readonly except?: Readonly<Record<string, { readonly items?: string | readonly string[] }>>;
  };
  readonly paging?: PagingProfile;
  readonly records?: {
    /** Where a record is in its response: `data`, `{noun}`. */
    readonly at?: Place;
    /** Where its id is in the response, if it is beside the record. */
    readonly id?: Place | null;
    /** Records that differ: `{ "detail": "order" }`. */
    readonly except?: Readonly<Partial<Record<RecordName, Place>>>;
  };
  readonly errors?: {
    /** Where the code is. `null`: there is none, and the status decides. */
    readonly code?: Place | null;
    readonly message?: Place;
    /** The service's codes to documented ones: `{ "PRICE_CHANGED": "price_mismatch" }`. */
    readonly codes?: Readonly<Record<string, string>>;
    /** A 200 that states an error: the value at a place. */
    readonly in200?: { readonly at: Place; readonly is: unknown } | null;
  };
  readonly naming?: {
    readonly case?: 'snake' | 'camel';
    /** The name of each record's own id: `id`. */
    readonly id?: string | null;
  };
  /** Our fields to the service's, by record. There is no fallback to our name. */
  readonly fields?: Readonly<Partial<Record<RecordName, Readonly<Record<string, FieldPlace>>>>>;
  /** The service's statuses to ours, in any case. A mapped status ends waits, and never proves a refund. */
  readonly statuses?: Readonly<Record<string, string>>;
  readonly amounts?: AmountProfile & {
    readonly except?: Readonly<Partial<Record<RecordName, AmountProfile>>>;
    /** The unit of `expected_price` as it is sent. */
    readonly sent?: 'minor' | 'major';
  };
  readonly dates?: {
    readonly form?: 'iso' | 'seconds' | 'milliseconds';
    readonly except?: Readonly<Partial<Record<RecordName, 'iso' | 'seconds' | 'milliseconds'>>>;
  };
  /** The date filters besides those of transactions, which are documented. Days are rounded outward. */
  readonly filters?: {
    readonly from?: string;
    readonly to?: string;
    readonly form?: 'iso' | 'day' | 'seconds';
  };
  readonly events?: {
    readonly order?: 'oldest' | 'newest';
    /** With the newest first: which side of `after_id` a page holds. */
    readonly after?: 'older' | 'newer';
    /** Whether a page begins with the event of `after_id`. */
    readonly inclusive?: boolean;
  };
  readonly inputs?: Readonly<Partial<Record<InputName, InputProfile>>>;
  /** What nothing has shown yet: keys of this document. */
  readonly open?: readonly string[];
}
