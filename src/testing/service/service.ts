/** One request's way through the service: faults, verification, scope, work, answer, log. */

import { randomBytes } from 'node:crypto';
import type { Credentials, IssuedCredential } from '../credentials.js';
import { endpointName, endpointsAt, type Match } from '../endpoints/table.js';
import { publicPage } from '../endpoints/public-pages.js';
import type { Fault } from '../faults/fault.js';
import type { Faults } from '../faults/faults.js';
import {
  maxBodyBytes,
  type Answer,
  type ArrivedRequest,
  type Manner,
  type Outcome,
} from '../http/exchange.js';
import type { Market } from '../market/market.js';
import type { Settings } from '../options.js';
import { recorded, type RecordedRequest } from '../request-log.js';
import { decodedPairs } from '../verification/canonical.js';
import { Nonces } from '../verification/nonces.js';
import { verify } from '../verification/verify.js';
import type { Call, Result } from './endpoint.js';
import { errorBody, listBody } from './envelopes.js';
import { Fields } from './fields.js';
import { IdempotencyKeys } from './idempotency.js';
import { Refusal } from './refusal.js';

interface Admission {
  readonly match: Match | undefined;
  readonly credential: IssuedCredential;
}

interface Parts {
  readonly market: Market;
  readonly credentials: Credentials;
  readonly faults: Faults;
  readonly settings: Settings;
  readonly baseUrl: () => string;
  readonly log: (entry: RecordedRequest) => void;
}

export class Service {
  readonly #parts: Parts;
  readonly #nonces = new Nonces();
  readonly #keys = new IdempotencyKeys();
  readonly #instance = randomBytes(4).toString('hex');
  #count = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Everything happens within this call, so that no two requests can get in each other's way. */
  handle(request: ArrivedRequest): Outcome {
    const { market, faults, settings, log } = this.#parts;
    this.#count += 1;
    const requestId = `req_${this.#instance}${this.#count.toString(16).padStart(8, '0')}`;
    const path = withoutPrefix(request.rawPath, settings.pathPrefix);
    const match = endpointsAt(path).find(({ endpoint }) => endpoint.method === request.method);
    const endpoint = match === undefined ? undefined : endpointName(match.endpoint);
    const struck = faults.take({
      method: request.method,
      path,
      rawQuery: request.rawQuery,
      headers: request.headers,
      endpoint,
    });
    const now = market.clock.now();
    const edgeNow = now + clockOffset(struck);

    const page = publicPage(market, request, path);
    const admitted = page === undefined ? this.#admit(request, match, edgeNow) : undefined;
    const main = struck.find(({ kind }) => kind !== 'latency' && kind !== 'wrongClock');
    const own = isBeforeWork(main)
      ? undefined
      : (page ?? this.#answer(request, admitted ?? notFound(request, path)));
    const answer = withStandardHeaders(
      answerUnder(main, own, (code, message) => this.#error({ code, message })),
      edgeNow,
      requestId,
    );

    const manner = mannerOf(main);
    const refusal = admitted instanceof Refusal ? admitted : undefined;
    log(
      recorded(request, {
        path,
        receivedAt: now,
        verdict: page === undefined ? (refusal?.code ?? 'accepted') : 'public',
        reason: refusal?.message,
        status: manner.kind === 'reset' ? undefined : answer.status,
        endpoint,
        requestId,
        faults: struck.map(({ kind }) => kind),
      }),
    );
    return { answer, manner, delayMs: latencyOf(struck) };
  }

  /** Specification, part 5, "Verification by the service", steps 1 to 5. */
  #admit(request: ArrivedRequest, match: Match | undefined, edgeNow: number): Admission | Refusal {
    const { credentials } = this.#parts;
    try {
      const credential = verify(request, credentials, this.#nonces, edgeNow);
      if (match !== undefined) checkScope(match, credential);
      return { match, credential };
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  #answer(request: ArrivedRequest, admitted: Admission | Refusal): Answer {
    try {
      if (admitted instanceof Refusal) throw admitted;
      const { match, credential } = admitted;
      if (match === undefined) throw notFound(request, request.rawPath);
      if (request.bodyTooLarge) {
        throw new Refusal('validation_error', `The body is longer than ${maxBodyBytes} bytes.`);
      }
      const work = () => this.#run(request, match, credential);
      if (!match.endpoint.keyed) return jsonAnswer(work());
      const { status, body, replayed } = this.#keys.once(request, credential, work);
      return jsonAnswer({ status, body }, replayed ? { 'idempotent-replayed': 'true' } : {});
    } catch (error) {
      return this.#refused(error);
    }
  }

  #run(request: ArrivedRequest, { endpoint, rawParams }: Match, credential: IssuedCredential) {
    const { market, settings, baseUrl } = this.#parts;
    const call: Call = {
      market,
      account: market.account(credential.partnerId, credential.environment),
      credential,
      params: decodedParams(rawParams),
      query: new Fields(firstValues(request.rawQuery)),
      body: () => Fields.ofJson(request.body),
      baseUrl: baseUrl(),
    };
    try {
      const result: Result = endpoint.run(call);
      const content =
        'list' in result ? listBody(result.list, settings.listEnvelope) : result.record;
      return { status: result.status, body: JSON.stringify(content) };
    } catch (error) {
      return this.#refused(error);
    }
  }

  #refused(error: unknown): Answer {
    if (!(error instanceof Refusal)) {
      const message = error instanceof Error ? error.message : String(error);
      return this.#error({ code: 'internal_error', message, status: 500 });
    }
    const { code, message, details, status } = error;
    return this.#error({ code, message, details, status });
  }

  #error(error: {
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
    readonly status?: number;
  }): Answer {
    const body = JSON.stringify(errorBody(error, this.#parts.settings.errorShape));
    return jsonAnswer({ status: error.status ?? 500, body });
  }
}

function checkScope({ endpoint }: Match, credential: IssuedCredential): void {
  const { scopes, affiliate } = endpoint;
  if (!scopes.some((scope) => credential.scopes.includes(scope))) {
    const needed = scopes.map((scope) => `"${scope}"`).join(' or ');
    throw new Refusal(
      'forbidden',
      `${endpointName(endpoint)} needs the scope ${needed}; this credential has ${credential.scopes.join(', ') || 'none'}.`,
      { required_scope: scopes.join(' or ') },
    );
  }
  if (affiliate && !credential.affiliate) {
    throw new Refusal(
      'forbidden',
      `${endpointName(endpoint)} needs a credential that is linked to an affiliate account.`,
    );
  }
}

function notFound({ method }: ArrivedRequest, path: string): Refusal {
  const others = endpointsAt(path).map(({ endpoint }) => endpointName(endpoint));
  const hint = others.length > 0 ? ` At this path there is ${others.join(' and ')}.` : '';
  return new Refusal('not_found', `There is no endpoint ${method} ${path}.${hint}`);
}

function withoutPrefix(rawPath: string, prefix: string): string {
  const isUnder = prefix !== '' && rawPath.startsWith(`${prefix}/`);
  return isUnder ? rawPath.slice(prefix.length) : rawPath;
}

function isBeforeWork(main: Fault | undefined): boolean {
  return main?.kind === 'resetBeforeWork' || (main?.kind === 'answer' && !main.afterWork);
}

function answerUnder(
  main: Fault | undefined,
  own: Answer | undefined,
  error: (code: string, message: string) => Answer,
): Answer {
  if (main?.kind === 'answer') {
    const plain =
      main.body === undefined ? error(main.code, main.message) : { headers: {}, body: main.body };
    return {
      status: main.status,
      headers: { ...plain.headers, ...lowerCaseNames(main.headers) },
      body: plain.body,
    };
  }
  if (own === undefined) return { status: 500, headers: {}, body: '' };
  return main?.kind === 'emptyBody' ? { ...own, body: '' } : own;
}

function mannerOf(main: Fault | undefined): Manner {
  switch (main?.kind) {
    case 'resetBeforeWork':
    case 'resetAfterWork':
      return { kind: 'reset' };
    case 'brokenBody':
      return { kind: 'broken' };
    case 'slowBody':
      return { kind: 'slow', chunkBytes: main.chunkBytes, everyMs: main.everyMs };
    case 'endlessBody':
      return { kind: 'endless', everyMs: main.everyMs };
    default:
      return { kind: 'whole' };
  }
}

function latencyOf(struck: readonly Fault[]): number {
  return struck.reduce((sum, fault) => sum + (fault.kind === 'latency' ? fault.ms : 0), 0);
}

function clockOffset(struck: readonly Fault[]): number {
  return struck.reduce((sum, fault) => sum + (fault.kind === 'wrongClock' ? fault.offsetMs : 0), 0);
}

function withStandardHeaders(answer: Answer, edgeNow: number, requestId: string): Answer {
  const date = new Date(edgeNow).toUTCString();
  return { ...answer, headers: { date, 'x-request-id': requestId, ...answer.headers } };
}

function jsonAnswer(
  { status, body }: Pick<Answer, 'status' | 'body'>,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body,
  };
}

function decodedParams(raw: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        throw new Refusal('validation_error', `"${name}" is not percent-encoded UTF-8.`);
      }
    }),
  );
}

/** Of a repeated parameter the first counts. */
function firstValues(rawQuery: string): Record<string, string> {
  return Object.fromEntries(decodedPairs(rawQuery).reverse());
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
