/** `camelCase`, `snakeCase`, `ofNoun`: names as another service spells them. */

import type { RecordName } from '../record-fields.js';
import type { Place } from './profile.js';

export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A place with the noun of a record in it. */
export function ofNoun(place: Place, kind: RecordName): Place {
  return typeof place === 'string' ? place.replaceAll('{noun}', nounOf(kind)) : place;
}

export function nounOf(kind: RecordName): string {
  return kind === 'detail' ? 'order' : kind;
}
