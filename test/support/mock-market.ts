/** mockMarket: a client in virtual time whose service is a script or a function of the request. */

import { http, HttpResponse } from 'msw';
import { MarketClient, type ClientOptions } from 'market-partner-sdk';
import { ConnectionRefused, MswDispatcher, type SentRequest } from './msw-dispatcher.js';
import { VirtualTime } from './virtual-time.js';

export const credential = { keyId: 'mk_sandbox_1f0c', secret: 'the-secret-of-these-tests' };

/** A response, a failure of the connection, or a function that makes a response when its turn comes. */
export type Step = Response | 'refused' | 'reset' | 'hang' | (() => Response | Promise<Response>);

/** Returns the response's JSON, or a whole `Response`; `count` numbers the requests from 1. */
export type Handler = (request: Request, count: number) => unknown;

export interface MockMarket {
  readonly market: MarketClient;
  readonly time: VirtualTime;
  /** Every request, in the order of sending. */
  readonly sent: readonly SentRequest[];
  readonly dispatcher: MswDispatcher;
}

/**
 * A client and its service in one process. The last step of a script repeats for all requests that
 * follow. A script's bodies are no records, so its client does not validate responses.
 */
export function mockMarket(
  service: readonly Step[] | Handler,
  options: ClientOptions = {},
): MockMarket {
  const time = new VirtualTime();
  const isScript = typeof service !== 'function';
  const dispatcher = isScript ? scriptedDispatcher(service) : handlingDispatcher(service);
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    ...credential,
    dispatcher,
    ...(isScript ? { validateResponses: 'off' } : {}),
    ...time.options,
    ...options,
  });
  return { market, time, sent: dispatcher.sent, dispatcher };
}

/** A body that suits every call: the fields that identify a write's response, and an empty list. */
export const okBody = {
  public_id: 'ord_1001',
  checkout_url: 'https://market.example/checkout?pt=1',
  url: 'https://shop.example/hooks',
  items: [],
};

/** {@link okBody} for reads of any order: it states no id. */
export const okRead = { ...okBody, public_id: undefined };

/** A successful response for every call. */
export const okResponse = () => HttpResponse.json(okBody);

/** An error response in the shape of the service's table (specification, part 7). */
export function errorResponse(status: number, code?: string, headers: Record<string, string> = {}) {
  const body = code === undefined ? { message: 'no' } : { code, message: 'no' };
  return () => HttpResponse.json(body, { status, headers });
}

/** A parameter of the request's query. */
export function parameter(request: Request, name: string): string | null {
  return new URL(request.url).searchParams.get(name);
}

function scriptedDispatcher(steps: readonly Step[]): MswDispatcher {
  const remaining = [...steps];
  const started: Step[] = [];
  let step: Step = 'hang';
  const dispatcher = new MswDispatcher(
    http.all('*', async ({ request }) => {
      const current = started.shift();
      if (typeof current === 'function') return withRequestedId(await current(), request);
      if (current === 'reset') return HttpResponse.error();
      if (current instanceof Response) return withRequestedId(current.clone(), request);
      return new Promise<Response>(() => undefined);
    }),
  );
  dispatcher.onConnect = () => {
    step = remaining.shift() ?? step;
    if (step === 'refused') return new ConnectionRefused();
    started.push(step);
    return undefined;
  };
  return dispatcher;
}

/** {@link okBody} for the order that was asked for: the client refuses one with another id. */
export async function withRequestedId(response: Response, request: Request): Promise<Response> {
  const [, id] = /\/orders\/([^/?]+)$/.exec(new URL(request.url).pathname) ?? [];
  if (request.method !== 'GET' || id === undefined || !response.ok) return response;
  const text = await response.clone().text();
  if (text !== JSON.stringify(okBody)) return response;
  return HttpResponse.json({ ...okBody, public_id: id }, response);
}

function handlingDispatcher(handler: Handler): MswDispatcher {
  let count = 0;
  return new MswDispatcher(
    http.all('*', async ({ request }) => {
      count += 1;
      const response = await handler(request, count);
      const whole = response instanceof Response ? response : HttpResponse.json(response as object);
      return withRequestedId(whole, request);
    }),
  );
}
