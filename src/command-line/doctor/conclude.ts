/** What the reads of a sandbox show of its lists, its records, their names and forms: a conclusion for each row. */

import { camelCase, nounOf, snakeCase } from '../../client/profile/spelling.js';
import { ownIds } from '../../client/profile/to-ours.js';
import { fieldsOf, type RecordName } from '../../client/record-fields.js';
import { isRecord } from '../../core/json.js';
import { codeIn, epochForm, isDate, listIn, membersOf, valueAt, type Fields } from './infer.js';
import type { Seen } from './learn-reads.js';
import type { LearnedRows } from './learned-rows.js';
import type { SeenRecords } from './seen-records.js';

export function concludeLists(seen: SeenRecords, into: LearnedRows): void {
  const row = 'the envelope of a list';
  const named = [...seen.lists].map(([noun, place]) => {
    const names = place.split('.');
    const isNoun = names.at(-1) === noun;
    return [noun, isNoun ? [...names.slice(0, -1), '{noun}'].join('.') : place] as const;
  });
  if (named.length === 0) {
    into.open('lists', row, 'no list could be read');
    return;
  }
  const items = mostOften(named.map(([, place]) => place));
  const others = named.filter(([, place]) => place !== items);
  const except = Object.fromEntries(others.map(([noun, place]) => [noun, { items: place }]));
  const found = {
    items: items === 'data' ? undefined : items,
    item: seen.itemPlace,
    id: seen.itemId,
    except: others.length === 0 ? undefined : except,
  };
  into.learned('lists', row, found, 'data');
}

export function concludeRecords(seen: SeenRecords, into: LearnedRows): void {
  const row = 'a wrapped record';
  const named = [...seen.places].map(
    ([kind, place]) => [kind, place === nounOf(kind) ? '{noun}' : place] as const,
  );
  if (named.length === 0) {
    into.open('records', row, 'no record could be read');
    return;
  }
  const place = mostOften(named.map(([, each]) => each));
  const others = named.filter(([, each]) => each !== place);
  const found = {
    at: place === '' ? undefined : place,
    id: seen.idPlace,
    except: others.length === 0 ? undefined : Object.fromEntries(others),
  };
  into.learned('records', row, found, 'bare');
}

/** The case of names, the name of ids, the end of amounts' names, and single fields by equal values. */
export function concludeNames(seen: SeenRecords, into: LearnedRows): void {
  const row = 'names of fields';
  const names = seen.records.flatMap(({ record }) => Object.keys(record));
  if (names.length === 0) {
    into.open('naming', row, 'no record could be read');
    return;
  }
  const isCamel =
    !names.some((name) => name.includes('_')) && names.some((name) => /[a-z][A-Z]/.test(name));
  const owners = seen.kinds().flatMap((kind) => {
    const own = ownIds[kind];
    return own === undefined ? [] : [{ kind, own }];
  });
  const withId = owners.filter(({ kind, own }) => {
    return seen.of(kind).every((it) => 'id' in it && !(own in it) && !(camelCase(own) in it));
  });
  // One record may call another thing "id"; two that have lost theirs do not.
  const isId = withId.length >= 2 || (withId.length > 0 && withId.length === owners.length);
  const found = { case: isCamel ? 'camel' : undefined, id: isId ? 'id' : undefined };
  into.learned('naming', row, found, 'snake case, ids by their record');
  if (!isId) for (const { kind, own } of withId) into.field(kind, own, 'id');
}

export function concludeForms({ records }: SeenRecords, into: LearnedRows): void {
  const amounts = records.flatMap(({ kind, record }) => amountsIn(kind, record));
  const dates = records.flatMap(({ kind, record }) =>
    Object.entries(fieldsOf(kind))
      .filter(([, valueKind]) => valueKind === 'date')
      .map(([name]) => record[name] ?? record[camelCase(name)]),
  );
  const form = dates.map(epochForm).find((it) => it !== undefined);
  if (form === undefined && !dates.some(isDate)) {
    into.open('dates', 'names of fields', 'no date was seen');
  } else {
    into.learned('dates', 'names of fields', { form }, 'ISO 8601');
  }
  concludeAmounts(amounts, into);
}

function concludeAmounts(amounts: readonly Amount[], into: LearnedRows): void {
  const row = 'amounts';
  if (amounts.length === 0) {
    into.open('amounts', row, 'no amount was seen');
    return;
  }
  const suffix = mostOften(amounts.map((each) => each.suffix));
  const inner = amounts.map(({ value }) => (isRecord(value) ? numberIn(value) : undefined));
  const object = inner.find((it) => it !== undefined);
  const values = amounts.map(({ value }, index) => inner[index]?.value ?? value);
  const isText = values.every((value) => typeof value === 'string');
  const isMajor = values.some((value) => /\.\d+$/.test(String(value)));
  const isKnown = isMajor || suffix === '_cents';
  const bare = isText ? 'text' : isMajor ? 'number' : undefined;
  const found = {
    form: object === undefined ? bare : 'object',
    at: object?.place === 'amount' ? undefined : object?.place,
    unit: isMajor ? 'major' : undefined,
    suffix: suffix === '_cents' ? undefined : suffix,
  };
  into.learned('amounts', row, found, 'whole numbers of minor units');
  if (!isKnown) into.open('amounts.unit', row, 'whole numbers without "cents" in their names');
}

export function concludeEmpty(
  none: Seen | undefined,
  { lists: places }: SeenRecords,
  into: LearnedRows,
): void {
  const row = 'what proves that an order does not exist';
  if (none === undefined) {
    into.open('lists.empty', row, 'no response');
    return;
  }
  const form = emptyForm(none, [...places.values()]);
  if (form === undefined) {
    into.open('lists.empty', row, 'a list with orders, or none');
    return;
  }
  const { lists = {} } = into.profile;
  if (form !== 'list') into.profile.lists = { ...lists, empty: [form] };
  into.compared('lists.empty', row, form !== 'list', 'an empty list', form);
  const total = membersOf(none.body).find(
    ({ place, value }) => /(?:^|\.)total(?:_count|Count)?$/.test(place) && Number(value) > 0,
  );
  const { paging } = into.profile;
  if (total === undefined) return;
  const ignore = [total.place];
  into.profile.paging = { by: 'cursor', ...paging, ignore };
  into.compared('paging.ignore', row, true, 'a count of this list', total.place);
}

interface Amount {
  readonly suffix: string;
  readonly value: unknown;
}

/** The amounts of a record, and what their names have after the stem that ours has. */
export function amountsIn(kind: RecordName, record: Fields): Amount[] {
  const amounts = Object.entries(fieldsOf(kind)).filter(([, valueKind]) => valueKind === 'amount');
  return amounts.flatMap(([name]) => {
    const stem = name.replace(/_cents$/, '');
    const isOf = (theirs: string) =>
      /^(?:_(?:cents|minor|amount|value))?$/.test(theirs.slice(stem.length));
    const found = Object.entries(record).find(([theirs]) => {
      const snake = snakeCase(theirs);
      return snake.startsWith(stem) && isOf(snake);
    });
    return found === undefined || found[1] === null
      ? []
      : [{ suffix: snakeCase(found[0]).slice(stem.length), value: found[1] }];
  });
}

function numberIn(value: Fields) {
  return membersOf(value, 1).find((member) => /^-?\d+(?:\.\d+)?$/.test(String(member.value)));
}

function emptyForm({ status, body }: Seen, places: readonly string[]) {
  if (status === 204) return '204' as const;
  if (status === 404) return codeIn(body)?.value === 'not_found' ? ('404' as const) : undefined;
  if (status >= 300) return undefined;
  const list = listIn(body);
  if (list !== undefined)
    return (list.value as unknown[]).length === 0 ? ('list' as const) : undefined;
  const isNull = places.some((place) => place !== '' && valueAt(body, place) === null);
  return isNull ? ('null' as const) : isRecord(body) ? ('absent' as const) : undefined;
}

function mostOften(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? '';
}
