/** runtimeName and assertTransport: what the runtime is, and which ways to the service work in it. */

import { invalidOption } from '../errors/configuration-error.js';
import type { ClientSettings } from './client-options.js';

const bunRecipe =
  'pass "fetch" in place of it: (url, init) => fetch(url, { ...init, proxy: "http://proxy.example:3128" })';

/** ` node/24.1.0`, for the header User-Agent; empty if the runtime does not say. */
export function runtimeName(): string {
  const versions = runtimeVersions();
  const name = ['bun', 'deno', 'node'].find((one) => versions[one] !== undefined);
  return name === undefined ? '' : ` ${name}/${versions[name] ?? ''}`;
}

/**
 * Refuses a client that could not send anything in this runtime, because undici opens no connections in it.
 *
 * @throws {@link ConfigurationError} that says what to pass.
 */
export function assertTransport({ fetch, dispatcher, proxy }: ClientSettings): void {
  if (proxy !== undefined && runtimeVersions().bun !== undefined) {
    throw invalidOption(
      'proxy',
      `cannot be used in Bun, whose undici opens no connections: ${bunRecipe}`,
    );
  }
  if (!isCloudflareWorkers() || fetch !== undefined || dispatcher !== undefined) return;
  throw proxy === undefined
    ? invalidOption(
        'fetch',
        'is missing. In Cloudflare Workers undici opens no connections. Pass the global one: new MarketClient({ fetch })',
      )
    : invalidOption(
        'proxy',
        'cannot be used in Cloudflare Workers, where undici opens no connections. Pass "fetch" in place of it',
      );
}

/** The versions of the runtime and its parts. Cloudflare Workers may have neither of the objects. */
function runtimeVersions(): Readonly<Record<string, string | undefined>> {
  const { process } = globalThis as {
    process?: { versions?: Record<string, string | undefined> };
  };
  return process?.versions ?? {};
}

function isCloudflareWorkers(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: unknown } };
  return navigator?.userAgent === 'Cloudflare-Workers';
}
