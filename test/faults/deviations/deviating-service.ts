/** Services that answer as the specification allows, and not as the emulator does: one deviation at a time. */

import { HttpResponse } from 'msw';
import type { ClientOptions } from 'market-partner-sdk';
import { mockMarket } from '../../support/mock-market.js';

export const orders = ['1', '2', '3', '4', '5'].map((number) => ({
  public_id: `ord_${number}`,
  domain: `${'abcde'.charAt(Number(number) - 1)}.example`,
  status: 'SETTLED',
  sale_price_cents: 250_000,
  currency: 'USD',
}));

const pageSize = 2;

/** What a form of a list is made of. */
export interface ListPart {
  readonly items: readonly unknown[];
  /** Where this page begins, and the next one; `undefined` on the last page. */
  readonly at: number;
  readonly next: number | undefined;
  readonly url: URL;
}

/** How a service writes a page, and by which parameter it finds the next. */
export interface ListForm {
  readonly body: (part: ListPart) => unknown;
  /** Where the page of this query begins; 0 if it does not know the parameters. */
  readonly at?: (query: URLSearchParams) => number;
}

/** A client of a service with five orders, two on a page, in this form. */
export function listService({ body, at }: ListForm, options: ClientOptions = {}) {
  return recorded((request) => {
    const url = new URL(request.url);
    const begin = at?.(url.searchParams) ?? 0;
    const end = begin + pageSize;
    const next = end < orders.length ? end : undefined;
    return body({ items: orders.slice(begin, end), at: begin, next, url });
  }, options);
}

/** A client of a service with this response, and the lines that its logger got. */
export function recorded(
  answer: (request: Request) => unknown,
  options: ClientOptions = {},
): ReturnType<typeof mockMarket> & { readonly warnings: string[] } {
  const warnings: string[] = [];
  const logger = {
    warn: (message: string) => {
      warnings.push(message);
    },
  };
  return { ...mockMarket(answer, { logger, ...options }), warnings };
}

/** A position that a parameter holds as a number. */
export const by =
  (name: string, toBegin: (value: number) => number = (value) => value) =>
  (query: URLSearchParams): number =>
    query.has(name) ? toBegin(Number(query.get(name))) : 0;

/** The address of this list at another place. */
export function linkTo(url: URL, parameters: Readonly<Record<string, string>>): string {
  const link = new URL(url);
  for (const [name, value] of Object.entries(parameters)) link.searchParams.set(name, value);
  return link.href;
}

export const json = (body: unknown, headers: Record<string, string> = {}, status = 200) =>
  HttpResponse.json(body as object, { status, headers });
