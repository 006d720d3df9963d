/** `readAt`, `writeAt`: a value at a place in JSON. `isAt`: whether there is a member, whatever its value. */

import { isObject, isRecord } from '../../core/json.js';
import type { Place } from './profile.js';

/** The names of a place; none for the JSON itself. A number counts in a list. */
export function namesOf(place: Place): readonly string[] {
  if (typeof place !== 'string') return place;
  return place === '' ? [] : place.split('.');
}

export function readAt(json: unknown, place: Place): unknown {
  let at = json;
  for (const name of namesOf(place)) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  return at;
}

/** Sets the value at a place, and makes the objects on the way to it. */
export function writeAt(target: Record<string, unknown>, place: Place, value: unknown): void {
  const names = [...namesOf(place)];
  const last = names.pop();
  if (last === undefined) return;
  let at = target;
  for (const name of names) {
    const inner = Object.hasOwn(at, name) ? at[name] : undefined;
    const next = isRecord(inner) ? { ...inner } : {};
    define(at, name, next);
    at = next;
  }
  define(at, last, value);
}

/** Not an assignment, which `__proto__` would turn into another prototype. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}
