/** The table of all endpoints, and routing. */

import type { Endpoint } from './endpoint.js';
import { brokerageEndpoints } from './brokerage.js';
import { checkoutEndpoints } from './checkout.js';
import { inventoryEndpoints } from './inventory.js';
import { orderEndpoints } from './orders.js';
import { referralEndpoints } from './referral.js';
import { reportEndpoints } from './reports.js';
import { webhookEndpoints } from './webhooks.js';

/** The endpoints of the service (specification, part 4). */
export const endpoints: readonly Endpoint[] = [
  ...inventoryEndpoints,
  ...orderEndpoints,
  ...checkoutEndpoints,
  ...reportEndpoints,
  ...brokerageEndpoints,
  ...referralEndpoints,
  ...webhookEndpoints,
];

const roots = { versioned: '/api/partner/v1', unversioned: '/api/partner' } as const;

interface Route {
  readonly endpoint: Endpoint;
  readonly segments: readonly string[];
}

// Literal segments go before placeholders: /domains/search is not a domain named "search".
const routes: readonly Route[] = endpoints
  .map((endpoint) => ({
    endpoint,
    segments: `${endpoint.unversioned ? roots.unversioned : roots.versioned}${endpoint.path}`.split(
      '/',
    ),
  }))
  .sort((a, b) => placeholders(a) - placeholders(b));

export interface Match {
  readonly endpoint: Endpoint;
  /** Values of the placeholders, still percent-encoded. */
  readonly rawParams: Readonly<Record<string, string>>;
}

/** The endpoints at a path, whatever their method. */
export function endpointsAt(path: string): Match[] {
  const segments = path.split('/');
  return routes.flatMap(({ endpoint, segments: pattern }) => {
    if (pattern.length !== segments.length) return [];
    const rawParams: Record<string, string> = {};
    for (const [at, expected] of pattern.entries()) {
      const actual = segments[at] ?? '';
      if (expected.startsWith('{') && actual !== '') rawParams[expected.slice(1, -1)] = actual;
      else if (expected !== actual) return [];
    }
    return [{ endpoint, rawParams }];
  });
}

/** `'POST /orders'`: an endpoint's name in logs and in fault matchers. */
export function endpointName({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

function placeholders({ segments }: Route): number {
  return segments.filter((segment) => segment.startsWith('{')).length;
}
