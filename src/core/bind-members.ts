/**
 * bindMembers: an object's methods and getters work wherever they are called from: detached
 * (`names.map(market.domains.getPricing)`), or on a `Proxy` around the object, which has none of its
 * private fields.
 */

/** The members stay writable and are not enumerable, so mocks can replace them and inspection hides them. */
export function bindMembers(instance: object): void {
  for (const owner of classPrototypes(instance)) {
    for (const name of Reflect.ownKeys(owner)) {
      if (name === 'constructor' || Object.hasOwn(instance, name)) continue;
      const member = Object.getOwnPropertyDescriptor(owner, name);
      const { value, get } = member as { value?: unknown; get?: () => unknown };
      if (typeof value === 'function') {
        const bound: unknown = value.bind(instance);
        Object.defineProperty(instance, name, { ...member, value: bound });
      } else if (get !== undefined) {
        Object.defineProperty(instance, name, { ...member, get: get.bind(instance) });
      }
    }
  }
}

/** Those of its class and of the classes that it extends. */
function classPrototypes(instance: object): object[] {
  const prototype = Object.getPrototypeOf(instance) as object;
  return prototype === Object.prototype ? [] : [prototype, ...classPrototypes(prototype)];
}
