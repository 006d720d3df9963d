/** createLoader: reads what only the open part of the page needs, when it opens or changes. */

import { CallError, type ControlClient } from './control-client.js';
import type { Dispatch, FoundDomains, PageState } from './state.js';
import type { ListingView, OpenRequestView } from './wire.js';

/** More domains than these only make the list slower. */
const maxDomains = 200;

/**
 * @returns a function that is called after each change of the state; it reads what the state lacks
 */
export function createLoader(
  client: ControlClient,
  dispatch: Dispatch,
): (state: PageState) => void {
  const load = createLatest();
  return (state) => {
    const { route, connection, emulator, faultOptions, openRequest, search } = state;
    if (connection !== 'connected' || emulator === undefined) return;
    const { tab, id } = route;
    if (tab === 'requests' && id !== undefined && openRequest?.id !== id) {
      // Read again with everything else, after a restart or a reset.
      load(`request ${id}`, faultOptions, async () => {
        const request = await readOr(client, `/requests/${id}`, () => undefined);
        const values = { openRequest: { id, request: request as OpenRequestView | undefined } };
        dispatch({ kind: 'replace', values });
      });
    }
    if (tab === 'domains') {
      // A sale, a quote and a call of the staff change what is for sale; each makes new lists.
      load(`domains ${search} ${id ?? ''}`, emulator.orders, async () => {
        dispatch({ kind: 'replace', values: { domains: await readDomains(client, search, id) } });
      });
    }
  };
}

async function readDomains(
  client: ControlClient,
  search: string,
  domain: string | undefined,
): Promise<FoundDomains> {
  const text = encodeURIComponent(search.trim());
  const { content } = await client.get(`/domains?limit=${maxDomains}&search=${text}`);
  const found =
    domain === undefined
      ? undefined
      : await readOr(client, `/domains/${encodeURIComponent(domain)}`, ({ message }) => message);
  return {
    listings: content as ListingView[],
    open: domain === undefined ? undefined : { domain, found: found as ListingView | string },
  };
}

/** What a path holds, or something else if nothing is there. */
async function readOr(
  client: ControlClient,
  path: string,
  missing: (error: CallError) => unknown,
): Promise<unknown> {
  try {
    return (await client.get(path)).content;
  } catch (error) {
    if (error instanceof CallError && error.status === 404) return missing(error);
    throw error;
  }
}

/** Runs the latest of several reads, never two at once, and none twice for the same version. */
function createLatest(): (name: string, version: unknown, read: () => Promise<void>) => void {
  let last: { readonly name: string; readonly version: unknown } | undefined;
  let waiting: (() => Promise<void>) | undefined;
  let isRunning = false;
  const run = async () => {
    isRunning = true;
    for (let read = waiting; read !== undefined; read = waiting) {
      waiting = undefined;
      // The stream shows that the connection is lost, and the page starts over.
      await read().catch(() => (last = undefined));
    }
    isRunning = false;
  };
  return (name, version, read) => {
    if (last?.name === name && last.version === version) return;
    last = { name, version };
    waiting = read;
    if (!isRunning) void run();
  };
}
