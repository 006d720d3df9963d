/** The part of the page that is shown, as the fragment of the address: `#orders/ord_1`. */

export const tabs = [
  'start',
  'requests',
  'orders',
  'events',
  'domains',
  'products',
  'faults',
] as const;

export type Tab = (typeof tabs)[number];

export interface Route {
  /** `undefined`: the first screen until there is a request, then the requests. */
  readonly tab: Tab | undefined;
  /** The request, order, event or domain whose details are open. */
  readonly id: string | undefined;
}

export function parseRoute(fragment: string): Route {
  const [name, id] = fragment.replace(/^#/, '').split('/');
  return { tab: tabs.find((tab) => tab === name), id };
}

/** Ids are words of the emulator, and domains: they need no encoding. */
export function fragmentOf(tab: Tab, id?: string): string {
  return id === undefined ? `#${tab}` : `#${tab}/${id}`;
}
