/** The state of the page, and the one function that changes it. */

import { attemptGroups, noFilter, type Filter } from './requests.js';
import { parseRoute, type Route } from './route.js';
import { isMatch } from './search.js';
import type { Secrets } from './start.js';
import type {
  ClockView,
  EmulatorView,
  FaultOptionsView,
  ListingView,
  OpenRequestView,
  RequestView,
} from './wire.js';

/** As many as the emulator keeps, unless its `logSize` is larger: search, filters and counts know no others. */
export const maxRequests = 5_000;

/** `locked`: the control API asks for a token. */
export type Connection = 'connecting' | 'connected' | 'lost' | 'locked';

export interface Notice {
  readonly text: string;
  readonly isError: boolean;
  /** What did it, as a line for a shell. */
  readonly curl?: string;
}

/** What was read for the request whose details are open. */
export interface OpenRequest {
  readonly id: string;
  /** `undefined` if it is no longer in the log. */
  readonly request: OpenRequestView | undefined;
}

/** What was read for the tab of the domains. */
export interface FoundDomains {
  readonly listings: readonly ListingView[];
  /** The one whose details are open; a message if it is not for sale. */
  readonly open: { readonly domain: string; readonly found: ListingView | string } | undefined;
}

export interface PageState {
  readonly connection: Connection;
  readonly route: Route;
  readonly emulator: EmulatorView | undefined;
  readonly faultOptions: FaultOptionsView | undefined;
  /** Oldest first. */
  readonly requests: readonly RequestView[];
  readonly filter: Filter;
  /** Words that what is listed must have, in every tab. */
  readonly search: string;
  readonly openRequest: OpenRequest | undefined;
  readonly domains: FoundDomains | undefined;
  /** The credential of the first screen; the first one unless another was chosen. */
  readonly keyId: string | undefined;
  /** Those of that credential, once they were asked for. */
  readonly secrets: Secrets | undefined;
  readonly notice: Notice | undefined;
}

export type Action =
  | {
      readonly kind: 'loaded';
      readonly emulator: EmulatorView;
      readonly requests: readonly RequestView[];
      readonly faultOptions: FaultOptionsView;
    }
  | { readonly kind: 'requests'; readonly requests: readonly RequestView[] }
  | { readonly kind: 'clock'; readonly clock: ClockView }
  | { readonly kind: 'route'; readonly fragment: string }
  /** Takes these values as they are. */
  | { readonly kind: 'replace'; readonly values: Partial<PageState> };

export type Dispatch = (action: Action) => void;

export function initialState(fragment: string): PageState {
  return {
    connection: 'connecting',
    route: parseRoute(fragment),
    emulator: undefined,
    faultOptions: undefined,
    requests: [],
    filter: noFilter,
    search: '',
    openRequest: undefined,
    domains: undefined,
    keyId: undefined,
    secrets: undefined,
    notice: undefined,
  };
}

export function reduce(state: PageState, action: Action): PageState {
  switch (action.kind) {
    case 'loaded': {
      const { emulator, faultOptions, requests } = action;
      return {
        ...state,
        connection: 'connected',
        emulator,
        faultOptions,
        requests,
        // These belong to the emulator before, or to its state before a reset.
        openRequest: undefined,
        domains: undefined,
        keyId: undefined,
        secrets: undefined,
      };
    }
    case 'requests':
      return addRequests(state, action.requests);
    case 'clock':
      if (state.emulator === undefined) return state;
      return { ...state, emulator: { ...state.emulator, clock: action.clock } };
    case 'route':
      return { ...state, route: parseRoute(action.fragment), notice: undefined };
    case 'replace': {
      const next = { ...state, ...action.values };
      const isNarrowed = next.search !== state.search || next.filter !== state.filter;
      if (!isNarrowed || isOpenListed(next)) return next;
      return { ...next, route: { ...next.route, id: undefined } };
    }
  }
}

/** Whether search and filter let through what is open. What they do not know about stays open. */
function isOpenListed({ route, search, filter, requests, emulator }: PageState): boolean {
  const { tab, id = '' } = route;
  if (tab === 'requests') {
    if (search === '' && filter === noFilter) return true;
    return attemptGroups(requests, filter, search).some(({ attempts }) =>
      attempts.some(({ requestId }) => requestId === id),
    );
  }
  if (tab === 'domains') return id.includes(search.trim().toLowerCase());
  const { orders = [], events = [], sessions = [], cases = [], links = [] } = emulator ?? {};
  const open =
    orders.find(({ public_id }) => public_id === id) ??
    events.find((event) => event.id === id) ??
    sessions.find(({ session_id }) => session_id === id) ??
    cases.find(({ case_id }) => case_id === id) ??
    links.find(({ link_id }) => link_id === id);
  return open === undefined || isMatch(open, search);
}

/** The stream may repeat a request that was read with the list. */
function addRequests(state: PageState, arrived: readonly RequestView[]): PageState {
  const known = new Set(state.requests.map(({ requestId }) => requestId));
  const added = arrived.filter(({ requestId }) => !known.has(requestId));
  if (added.length === 0) return state;
  return {
    ...state,
    requests: [...state.requests, ...added].slice(-maxRequests),
  };
}
