/** `SeenRecords`: the lists and records of the reads without their envelopes, and where each was. */

import type { RecordName } from '../../client/record-fields.js';
import { isRecord } from '../../core/json.js';
import { isDomain, listIn, placeOfRecord, valueAt, type Fields } from './infer.js';
import type { Seen } from './learn-reads.js';

export class SeenRecords {
  readonly records: { readonly kind: RecordName; readonly record: Fields }[] = [];
  /** The places of lists by noun, and of records by kind. */
  readonly lists = new Map<string, string>();
  readonly places = new Map<RecordName, string>();
  /** Where the record is in an item, if not the item itself. */
  itemPlace: string | undefined;
  /** Where its id is in an item, if beside the record. */
  itemId: string | undefined;
  /** The place of an id beside a record. */
  idPlace: string | undefined;
  orderId: string | undefined;

  addRecord(kind: RecordName, seen: Seen | undefined): void {
    if (seen === undefined || seen.status >= 300) return;
    const place = placeOfRecord(seen.body, kind);
    if (place === undefined) return;
    this.places.set(kind, place);
    this.records.push({ kind, record: valueAt(seen.body, place) as Fields });
    const beside = [...place.split('.').slice(0, -1), 'id'].join('.');
    if (place !== '' && isId(valueAt(seen.body, beside))) this.idPlace = beside;
  }

  /** @returns the records of the list */
  addList(noun: string, kind: RecordName, seen: Seen | undefined): readonly Fields[] {
    const list = seen !== undefined && seen.status < 300 ? listIn(seen.body) : undefined;
    if (list === undefined) return [];
    this.lists.set(noun, list.place);
    const items = (list.value as unknown[]).filter(isRecord);
    const [first] = items;
    if (first === undefined) return [];
    const place = placeOfRecord(first, kind) ?? '';
    const records = items.map((item) => valueAt(item, place) as Fields);
    for (const record of records) this.records.push({ kind, record });
    if (place !== '') {
      this.itemPlace = place;
      this.itemId = isId(first.id) ? 'id' : undefined;
    }
    if (kind === 'order') {
      const { public_id: own, publicId = own, id = publicId } = { ...first, ...records[0] };
      this.orderId = isId(id) ? String(id) : undefined;
    }
    return records;
  }

  /** @returns a name that was found */
  addSearch(seen: Seen | undefined): string | undefined {
    const [record = {}] = this.addList('domains', 'domain', seen);
    return Object.values(record).find(isDomain);
  }

  kinds(): RecordName[] {
    return [...new Set(this.records.map(({ kind }) => kind))];
  }

  of(kind: RecordName): Fields[] {
    return this.records.filter((each) => each.kind === kind).map(({ record }) => record);
  }
}

function isId(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value);
}
