/**
 * Whether a value is an object of fields and nothing more: not an array, not a Map, not an
 * instance of a class, whose state would silently be lost on the way into JSON. Objects of another
 * realm (a worker's, a test runner's) count, so the prototype is told by its place and not by identity.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
