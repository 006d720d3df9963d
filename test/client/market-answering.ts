/** A client whose service is a function of the request, in one process. */

import { http, HttpResponse } from 'msw';
import { MarketClient, type ClientOptions, type MarketError } from 'market-partner-sdk';
import { MswDispatcher } from '../support/msw-dispatcher.js';

export const credential = { keyId: 'mk_sandbox_1f0c', secret: 'top-secret-of-these-tests' };

/** Gives the answer's JSON, or a whole `Response`. */
export type Answer = (request: Request, count: number) => unknown;

export function marketAnswering(answer: Answer, options: ClientOptions = {}) {
  let count = 0;
  const dispatcher = new MswDispatcher(
    http.all('*', async ({ request }) => {
      count += 1;
      const given = await answer(request, count);
      return given instanceof Response ? given : HttpResponse.json(given as object);
    }),
  );
  const market = new MarketClient({
    baseUrl: 'https://market.example',
    ...credential,
    dispatcher,
    ...options,
  });
  return { market, sent: dispatcher.sent, dispatcher };
}

/** A parameter of the request's query. */
export function parameter(request: Request, name: string): string | null {
  return new URL(request.url).searchParams.get(name);
}

/** What a promise is rejected with; a call that throws instead of rejecting fails the test. */
export async function rejection(promise: PromiseLike<unknown>): Promise<MarketError> {
  try {
    await promise;
  } catch (error) {
    return error as MarketError;
  }
  throw new Error('it was not rejected');
}

/** A logger that keeps its lines. */
export function recordingLogger() {
  const lines: { level: string; message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const at = (level: string) => (message: string, fields: Readonly<Record<string, unknown>>) => {
    lines.push({ level, message, fields });
  };
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { lines, logger, warnings: () => lines.filter(({ level }) => level === 'warn') };
}
