/** A client in virtual time whose service answers by a script: one step for each request. */

import { http, HttpResponse } from 'msw';
import { MarketClient, type ClientOptions, type MarketError } from 'market-partner-sdk';
import { ConnectionRefused, MswDispatcher } from './msw-dispatcher.js';
import { VirtualTime } from './virtual-time.js';

export const credential = { keyId: 'mk_sandbox_1f0c', secret: 'the-secret-of-these-tests' };

/** An answer, a failure of the wire, or something made when its turn comes. */
export type Step = Response | 'refused' | 'reset' | 'hang' | (() => Response | Promise<Response>);

/** The answer of a service that did what it was asked; it fits every call. */
export const done = () => HttpResponse.json({ ok: true, items: [] });

/** A refusal in the shape that the service's table has (specification, part 7). */
export function refusal(status: number, code?: string, headers: Record<string, string> = {}) {
  const body = code === undefined ? { message: 'no' } : { code, message: 'no' };
  return () => HttpResponse.json(body, { status, headers });
}

export interface ScriptedService {
  readonly market: MarketClient;
  readonly time: VirtualTime;
  /** What was sent is in `dispatcher.sent`. */
  readonly dispatcher: MswDispatcher;
}

/** The last step stands for all that follow it. */
export function scriptedService(steps: readonly Step[], options: ClientOptions = {}) {
  const time = new VirtualTime();
  const left = [...steps];
  let last: Step = 'hang';
  const underWay: Step[] = [];
  const answer = async (): Promise<Response> => {
    const step = underWay.shift();
    if (typeof step === 'function') return step();
    if (step === 'reset') return HttpResponse.error();
    if (step instanceof Response) return step.clone();
    return new Promise<Response>(() => undefined);
  };
  const dispatcher = new MswDispatcher(http.all('*', answer));
  dispatcher.onConnect = () => {
    last = left.shift() ?? last;
    if (last === 'refused') return new ConnectionRefused();
    underWay.push(last);
    return undefined;
  };
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    ...credential,
    dispatcher,
    validateResponses: 'off',
    ...time.options,
    ...options,
  });
  return { market, time, dispatcher } satisfies ScriptedService;
}

/** The error that a call ends with. */
export async function failureOf(call: Promise<unknown>): Promise<MarketError> {
  try {
    await call;
  } catch (error) {
    return error as MarketError;
  }
  throw new Error('the call succeeded');
}
