/** `LearnedRows`: the profile that is learned, and a line for each row of docs/assumptions.md. */

import type { Place, Profile } from '../../client/profile/profile.js';
import type { RecordName } from '../../client/record-fields.js';

/** What was found of one row of docs/assumptions.md. */
export interface LearnedRow {
  /** The key of the profile. */
  readonly key: string;
  /** The row of docs/assumptions.md. */
  readonly row: string;
  readonly result: 'holds' | 'differs' | 'open';
  /** For `differs`: from, to. For `open`: why. */
  readonly detail: string;
}

/** The keys that are learned as a whole. */
type LearnedKey =
  'lists' | 'records' | 'errors' | 'naming' | 'dates' | 'amounts' | 'events' | 'paging';

export class LearnedRows {
  readonly rows: LearnedRow[] = [];
  readonly profile: { -readonly [key in keyof Profile]: Profile[key] } = { version: 1 };

  /** What differs from the default goes into the profile. */
  learned(key: LearnedKey, row: string, given: object, usual: string): void {
    const found = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    );
    const differs = Object.keys(found).length > 0;
    if (differs) Object.assign(this.profile, { [key]: { ...this.profile[key], ...found } });
    this.compared(key, row, differs, usual, JSON.stringify(found));
  }

  compared(key: string, row: string, differs: boolean, from: string, to: string): void {
    const detail = differs ? `${from} -> ${to}` : from;
    this.rows.push({ key, row, result: differs ? 'differs' : 'holds', detail });
  }

  field(kind: RecordName, name: string, place: Place): void {
    const { fields = {} } = this.profile;
    this.profile.fields = { ...fields, [kind]: { ...fields[kind], [name]: place } };
    this.compared(`fields.${kind}.${name}`, 'names of fields', true, name, String(place));
  }

  open(key: string, row: string, why: string): void {
    this.rows.push({ key, row, result: 'open', detail: why });
  }

  /** With the keys of what stays open. There always is one: only a write shows the unit of a price that is sent. */
  whole(): Profile {
    const open = this.rows.filter(({ result }) => result === 'open').map(({ key }) => key);
    return { ...this.profile, open: [...new Set(open)] };
  }
}
