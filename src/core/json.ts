/** Parses JSON, and predicates over what was parsed and over values that become JSON. */

/** What a text is as JSON; `undefined` if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a value is an object of any kind: no function, no null. */
export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is an object of fields: no array, no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value);
}

/**
 * Whether a value is a plain object of fields: no array, no Map, no instance of a class, whose
 * state JSON would silently lose. Accepts objects of another realm (a worker's, a test runner's),
 * so it checks the depth of the prototype chain, not the prototype's identity.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A field of an object, also one that its class has, but none of an extended Object.prototype. */
export function ownOrOfClass(value: object, name: string): unknown {
  for (let at: unknown = value; isObject(at); at = Object.getPrototypeOf(at)) {
    const isRoot = at !== value && Object.getPrototypeOf(at) === null;
    if (!isRoot && Object.hasOwn(at, name)) return (value as Record<string, unknown>)[name];
  }
  return undefined;
}

/** What `JSON.stringify` writes in place of an object: the result of its `toJSON`, if it has one. */
export function jsonForm(value: object, key: string): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value, key) as unknown) : value;
}

/**
 * Whether a value holds its state in fields: a plain object, or an instance of a class of the caller's, such as a
 * DTO. No array, and nothing built in, such as a Map.
 */
export function hasFields(value: unknown): value is Record<string, unknown> {
  if (isPlainObject(value)) return true;
  return isRecord(value) && Object.prototype.toString.call(value) === '[object Object]';
}
