/** One request's way through the service: faults, verification, scope, work, response, log. */

import { randomBytes } from 'node:crypto';
import type { Credentials, IssuedCredential } from '../credentials.js';
import type { EndpointCall, EndpointResult } from '../endpoints/endpoint.js';
import { FieldReader } from '../endpoints/fields.js';
import { publicPage } from '../endpoints/public-pages.js';
import { endpointName, endpointsAt, type Match } from '../endpoints/table.js';
import { errorBody, listBody } from '../envelopes.js';
import {
  applyFault,
  clockOffsetMs,
  deliveryMode,
  findResponseFault,
  preventsWork,
  totalLatencyMs,
} from '../faults/apply.js';
import type { Fault } from '../faults/fault.js';
import type { Faults } from '../faults/faults.js';
import {
  maxBodyBytes,
  type RawRequest,
  type ScheduledResponse,
  type ServiceResponse,
} from '../http/messages.js';
import type { Market } from '../market/market.js';
import type { Settings } from '../options.js';
import { recordRequest, type RecordedRequest } from '../request-log.js';
import { ServiceError } from '../service-error.js';
import { decodedPairs } from '../verification/canonical.js';
import { Nonces } from '../verification/nonces.js';
import { SignatureError, verify, type CanonicalComparison } from '../verification/verify.js';
import { IdempotencyKeys, type StoredResponse } from './idempotency.js';

interface Authorized {
  readonly match: Match | undefined;
  readonly credential: IssuedCredential;
  readonly canonical: CanonicalComparison;
}

interface ServiceDependencies {
  readonly market: Market;
  readonly credentials: Credentials;
  readonly faults: Faults;
  readonly settings: Settings;
  readonly baseUrl: () => string;
  readonly log: (entry: RecordedRequest) => void;
}

export class MarketService {
  readonly #dependencies: ServiceDependencies;
  readonly #nonces = new Nonces();
  readonly idempotencyKeys: IdempotencyKeys;
  readonly #instance = randomBytes(4).toString('hex');
  #count = 0;

  constructor(dependencies: ServiceDependencies) {
    this.#dependencies = dependencies;
    this.idempotencyKeys = new IdempotencyKeys(
      dependencies.settings.idempotencyMemoryMs,
      dependencies.market.clock.now,
    );
  }

  /** Synchronous from arrival to response: two requests never interleave. */
  handle(request: RawRequest): ScheduledResponse {
    const { market, faults, settings, log } = this.#dependencies;
    this.#count += 1;
    const requestId = `req_${this.#instance}${this.#count.toString(16).padStart(8, '0')}`;
    const path = withoutPrefix(request.rawPath, settings.pathPrefix);
    const match = endpointsAt(path).find(({ endpoint }) => endpoint.method === request.method);
    const endpoint = match === undefined ? undefined : endpointName(match.endpoint);
    const activeFaults = faults.consume({
      method: request.method,
      path,
      rawQuery: request.rawQuery,
      headers: request.headers,
      endpoint,
    });
    const now = market.clock.now();
    const verificationTime = now + clockOffsetMs(activeFaults);

    const page = publicPage(market, request, path);
    const authorized =
      page === undefined ? this.#authorize(request, match, verificationTime) : undefined;
    const responseFault = findResponseFault(activeFaults);
    const serviceResponse = preventsWork(responseFault)
      ? undefined
      : (page ?? this.#respond(request, authorized ?? notFound(request, path), responseFault));
    const response = withStandardHeaders(
      applyFault(
        responseFault,
        serviceResponse,
        (code, message) => this.#errorResponse({ code, message }),
        now,
      ),
      verificationTime,
      requestId,
    );

    const mode = deliveryMode(responseFault);
    const error = authorized instanceof ServiceError ? authorized : undefined;
    const canonical = error instanceof SignatureError ? error.canonical : undefined;
    log(
      recordRequest(request, {
        path,
        receivedAt: now,
        verdict: page === undefined ? (error?.code ?? 'accepted') : 'public',
        reason: error?.message,
        status: mode.kind === 'reset' ? undefined : response.status,
        errorCode: response.error?.code,
        errorMessage: response.error?.message,
        canonical: authorized instanceof ServiceError ? canonical : authorized?.canonical,
        endpoint,
        requestId,
        faults: activeFaults.map(({ kind }) => kind),
      }),
    );
    return { response, mode, delayMs: totalLatencyMs(activeFaults) };
  }

  /** Specification, part 5, "Verification by the service", steps 1 to 5. */
  #authorize(
    request: RawRequest,
    match: Match | undefined,
    verificationTime: number,
  ): Authorized | ServiceError {
    const { credentials } = this.#dependencies;
    try {
      const { credential, lines } = verify(request, credentials, this.#nonces, verificationTime);
      if (match !== undefined) checkScope(match, credential);
      return { match, credential, canonical: { expected: lines, signed: lines } };
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  #respond(
    request: RawRequest,
    authorized: Authorized | ServiceError,
    fault: Fault | undefined,
  ): ServiceResponse {
    try {
      if (authorized instanceof ServiceError) throw authorized;
      const { match, credential } = authorized;
      if (match === undefined) throw notFound(request, request.rawPath);
      if (request.bodyTooLarge) {
        throw new ServiceError(
          'validation_error',
          `The body is longer than ${maxBodyBytes} bytes.`,
        );
      }
      const work = () => this.#run(request, match, credential, fault);
      if (!match.endpoint.requiresIdempotencyKey) return jsonResponse(work());
      const { response, replayed } = this.idempotencyKeys.replayOrRun(request, credential, work);
      return jsonResponse(response, replayed ? { 'idempotent-replayed': 'true' } : {});
    } catch (error) {
      return this.#toErrorResponse(error);
    }
  }

  #run(
    request: RawRequest,
    { endpoint, rawParams }: Match,
    credential: IssuedCredential,
    fault: Fault | undefined,
  ) {
    const { market, settings, baseUrl } = this.#dependencies;
    const query = firstValues(request.rawQuery);
    const call: EndpointCall = {
      market,
      account: market.account(credential.partnerId, credential.environment),
      credential,
      params: decodeParams(rawParams),
      query: new FieldReader(query),
      body: () => FieldReader.ofJson(request.body),
      baseUrl: baseUrl(),
    };
    try {
      let result: EndpointResult = endpoint.run(call);
      if (fault?.kind === 'ignoredFilter' && 'list' in result) {
        result = firstPageOfAll(endpoint.run, call, query);
      }
      const content =
        'list' in result ? listBody(result.list, settings.listEnvelope) : result.record;
      return { status: result.status, body: JSON.stringify(content) };
    } catch (error) {
      return this.#toErrorResponse(error);
    }
  }

  #toErrorResponse(error: unknown): ServiceResponse {
    if (!(error instanceof ServiceError)) {
      const message = error instanceof Error ? error.message : String(error);
      return this.#errorResponse({ code: 'internal_error', message, status: 500 });
    }
    const { code, message, details, status } = error;
    return this.#errorResponse({ code, message, details, status });
  }

  #errorResponse(error: {
    readonly code: string;
    readonly message: string;
    readonly details?: Readonly<Record<string, unknown>> | undefined;
    readonly status?: number;
  }): ServiceResponse {
    const body = JSON.stringify(errorBody(error, this.#dependencies.settings.errorShape));
    const { code, message, status = 500 } = error;
    return jsonResponse({ status, body, error: { code, message } });
  }
}

function checkScope({ endpoint }: Match, credential: IssuedCredential): void {
  const { scopes, affiliate } = endpoint;
  if (!scopes.some((scope) => credential.scopes.includes(scope))) {
    const needed = scopes.map((scope) => `"${scope}"`).join(' or ');
    throw new ServiceError(
      'forbidden',
      `${endpointName(endpoint)} needs the scope ${needed}; this credential has ${credential.scopes.join(', ') || 'none'}.`,
      { required_scope: scopes.join(' or ') },
    );
  }
  if (affiliate && !credential.affiliate) {
    throw new ServiceError(
      'forbidden',
      `${endpointName(endpoint)} needs a credential that is linked to an affiliate account.`,
    );
  }
}

function notFound({ method }: RawRequest, path: string): ServiceError {
  const others = endpointsAt(path).map(({ endpoint }) => endpointName(endpoint));
  const hint = others.length > 0 ? ` At this path there is ${others.join(' and ')}.` : '';
  return new ServiceError('not_found', `There is no endpoint ${method} ${path}.${hint}`);
}

function withoutPrefix(rawPath: string, prefix: string): string {
  const isUnder = prefix !== '' && rawPath.startsWith(`${prefix}/`);
  return isUnder ? rawPath.slice(prefix.length) : rawPath;
}

function withStandardHeaders(
  response: ServiceResponse,
  verificationTime: number,
  requestId: string,
): ServiceResponse {
  const date = new Date(verificationTime).toUTCString();
  return { ...response, headers: { date, 'x-request-id': requestId, ...response.headers } };
}

function jsonResponse(
  response: StoredResponse,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return {
    ...response,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  };
}

function decodeParams(raw: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw).map(([name, value]) => {
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        throw new ServiceError('validation_error', `"${name}" is not percent-encoded UTF-8.`);
      }
    }),
  );
}

/** A list whose filters and cursor are ignored, and no cursor that leads on. */
function firstPageOfAll(
  run: (call: EndpointCall) => EndpointResult,
  call: EndpointCall,
  query: Readonly<Record<string, string>>,
): EndpointResult {
  // A search (`q`) and the size of a page filter nothing.
  const kept = Object.entries(query).filter(([name]) => name === 'limit' || name === 'q');
  const result = run({ ...call, query: new FieldReader(Object.fromEntries(kept)) });
  return 'list' in result ? { ...result, list: { ...result.list, nextCursor: null } } : result;
}

/** The first value of a repeated parameter wins. */
function firstValues(rawQuery: string): Record<string, string> {
  return Object.fromEntries(decodedPairs(rawQuery).reverse());
}
