/** `assumptionChecks`: a line for each assumption that the bodies of the reads can show: holds, differs, not seen. */

import { findNextPage } from '../../client/envelope/next-page.js';
import { readErrorBody } from '../../client/envelope/error-body.js';
import { findList, provesAbsence } from '../../client/envelope/find-list.js';
import { unwrapRecord } from '../../client/envelope/unwrap-record.js';
import { isDocumentedCode } from '../../client/errors/api-error-class.js';
import {
  fieldsOf,
  hasKnownField,
  type KnownKind,
  type RecordName,
} from '../../client/record-fields.js';
import { findOtherKinds } from '../../client/responses/check-fields.js';
import { memberNames } from '../../core/errors/member-names.js';
import { isRecord } from '../../core/json.js';
import { check, notChecked, type Check } from './report.js';

/** A body that a read got, and what it should hold. */
export interface SeenBody {
  /** The call: `orders.listPayouts`. */
  readonly call: string;
  readonly record: RecordName;
  /** The noun of a list; absent for a record. */
  readonly noun: string | undefined;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the service refused the read. */
  readonly isError: boolean;
}

/** What a body says of an assumption: `true` if it holds, how it differs, or nothing. */
type Finding = true | string | undefined;

interface Assumption {
  /** As the report names it. */
  readonly name: string;
  /** As docs/assumptions.md names it. */
  readonly row: string;
  readonly judge: (seen: SeenBody) => Finding;
}

const assumptions: readonly Assumption[] = [
  { name: 'lists', row: 'the envelope of a list', judge: ofList((items) => items !== undefined) },
  { name: 'paging', row: 'where a cursor is', judge: judgePaging },
  { name: 'empty lists', row: 'what proves that an order does not exist', judge: judgeEmpty },
  { name: 'records', row: 'a wrapped record', judge: judgeRecord },
  { name: 'fields', row: 'names of fields', judge: judgeFields },
  { name: 'amounts', row: 'amounts', judge: ofKind('amount') },
  { name: 'dates', row: 'names of fields', judge: ofKind('date') },
  { name: 'event ids', row: 'the ids of events', judge: judgeEventIds },
  { name: 'errors', row: 'the body of an error', judge: judgeError },
  { name: 'sent prices', row: 'the unit of `expected_price`', judge: () => undefined },
];

/** @param seen - none if an earlier failure made the reads pointless */
export function assumptionChecks(seen: readonly SeenBody[]): Check[] {
  return assumptions.map(({ name, row, judge }) => {
    const findings = seen.map((each) => [each.call, judge(each)] as const);
    const different = findings.find(([, finding]) => typeof finding === 'string');
    if (different !== undefined) {
      const [call, difference] = different;
      const advice = `Compare "${row}" in docs/assumptions.md.`;
      return check(name, 'warning', `differs: ${call} has ${String(difference)}`, advice);
    }
    const holds = findings.some(([, finding]) => finding === true);
    return holds
      ? check(name, 'ok', 'holds')
      : notChecked(name, seen.length === 0 ? undefined : 'not seen');
  });
}

function ofList(isRight: (items: unknown[] | undefined) => boolean): Assumption['judge'] {
  return ({ noun, body, isError }) => {
    if (noun === undefined || isError) return undefined;
    return isRight(findList(body, noun)) ? true : memberNames(body);
  };
}

function judgePaging({ noun, body, headers, isError }: SeenBody): Finding {
  const items = noun === undefined || isError ? undefined : findList(body, noun);
  if (items === undefined || items.length === 0) return undefined;
  const { position, unreadable, itemCount } = findNextPage({
    body,
    items,
    headers,
    path: '',
    query: '',
    cursorParam: 'cursor',
    sent: undefined,
  });
  if (position !== undefined) return true;
  if (unreadable !== undefined) return `${unreadable}, in ${memberNames(body)}`;
  const isCounted = itemCount !== undefined && itemCount.count > items.length;
  return isCounted ? `more by "${itemCount.name}", in ${memberNames(body)}` : undefined;
}

function judgeEmpty({ noun, body, isError }: SeenBody): Finding {
  if (noun === undefined || isError || findList(body, noun)?.length !== 0) return undefined;
  return provesAbsence(body, noun) ? true : memberNames(body);
}

function judgeRecord(seen: SeenBody): Finding {
  if (seen.noun !== undefined || seen.isError) return undefined;
  return recordsOf(seen).some((record) => hasKnownField(record, seen.record))
    ? true
    : memberNames(seen.body);
}

function judgeFields(seen: SeenBody): Finding {
  const [first] = recordsOf(seen);
  if (first === undefined) return undefined;
  const known = Object.keys(fieldsOf(seen.record));
  // A domain and a status have the same name in any spelling.
  const telling = known.filter((name) => name.includes('_'));
  const isOurs = (telling.length === 0 ? known : telling).some((name) =>
    Object.hasOwn(first, name),
  );
  const hasOthers = Object.keys(first).some((name) => !known.includes(name));
  return isOurs || (!hasOthers && hasKnownField(first, seen.record)) ? true : memberNames(first);
}

/** Whether the fields of a kind are of it, wherever they are. */
function ofKind(kind: KnownKind): Assumption['judge'] {
  return (seen) => {
    const fields = fieldsOf(seen.record);
    const records = recordsOf(seen);
    for (const record of records) {
      const other = findOtherKinds(record, seen.record, []).find(
        ({ field }) => fields[field] === kind,
      );
      if (other !== undefined) return `"${other.field}", which ${other.message}`;
    }
    const isSeen = records.some((record) =>
      Object.keys(fields).some((name) => fields[name] === kind && (record[name] ?? null) !== null),
    );
    return isSeen ? true : undefined;
  };
}

function judgeEventIds(seen: SeenBody): Finding {
  const [first] = seen.record === 'event' ? recordsOf(seen) : [];
  if (first === undefined) return undefined;
  if (typeof first.id === 'string') return true;
  return Number.isSafeInteger(first.id) ? 'whole numbers, read as text' : memberNames(first);
}

function judgeError({ body, isError }: SeenBody): Finding {
  if (!isError) return undefined;
  const { code } = readErrorBody(body);
  return code !== undefined && isDocumentedCode(code) ? true : memberNames(body);
}

/** The records of a body as they came, not as the client would give them. */
function recordsOf({ noun, record, body, isError }: SeenBody): Record<string, unknown>[] {
  if (isError) return [];
  if (noun !== undefined) return (findList(body, noun) ?? []).filter(isRecord);
  const single = unwrapRecord(body, record);
  return isRecord(single) ? [single] : [];
}
