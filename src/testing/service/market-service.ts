/** One request's way through the service: faults, verification, scope, work, response, log. */

import { randomBytes } from 'node:crypto';
import type { Credentials, IssuedCredential } from '../credentials.js';
import { parseJson } from '../../core/json.js';
import { publicPage } from '../endpoints/public-pages.js';
import { endpointName, endpointsAt, type Match } from '../endpoints/table.js';
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
  type DeliveryMode,
  type BaseUrlFor,
  type RawRequest,
  type ScheduledResponse,
  type ServiceResponse,
} from '../http/messages.js';
import type { Market } from '../market/market.js';
import type { Settings } from '../options.js';
import { recordRequest, type RecordedRequest } from '../request-log.js';
import { ServiceError, type ErrorContent } from '../service-error.js';
import { Nonces } from '../verification/nonces.js';
import { SignatureError, verify, type CanonicalComparison } from '../verification/verify.js';
import { callEndpoint } from './call-endpoint.js';
import { IdempotencyKeys, type StoredResponse } from './idempotency.js';
import type { ServiceForm } from './service-form.js';

/** A request and what is known about it before any work. */
interface Exchange {
  readonly request: RawRequest;
  readonly requestId: string;
  readonly path: string;
  readonly match: Match | undefined;
  readonly faults: readonly Fault[];
  /** The fault that changes the response, if one of them does. */
  readonly responseFault: Fault | undefined;
  readonly now: number;
  /** The service's time, as a fault of its clock may move it. */
  readonly verificationTime: number;
  /** Makes a page for browsers, which needs no credential. */
  readonly page: (() => ServiceResponse) | undefined;
}

interface Authorized {
  readonly credential: IssuedCredential;
  readonly canonical: CanonicalComparison;
}

/** The result of verification and scope; a page for browsers needs neither. */
type Authorization = Authorized | ServiceError | 'public';

interface ServiceDependencies {
  readonly market: Market;
  readonly credentials: Credentials;
  readonly faults: Faults;
  readonly settings: Settings;
  /** `undefined`: the default form. */
  readonly form: ServiceForm | undefined;
  readonly baseUrlFor: BaseUrlFor;
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
      dependencies.settings.idempotencyMemory,
      dependencies.market.clock.now,
    );
  }

  /** Synchronous from arrival to response: two requests never interleave. */
  handle(request: RawRequest): ScheduledResponse {
    const startedAt = performance.now();
    const exchange = this.#receive(request);
    const authorized = exchange.page === undefined ? this.#authorize(exchange) : 'public';
    const response = this.#applyFaults(exchange, this.#respond(exchange, authorized));
    const mode = deliveryMode(exchange.responseFault);
    const delayMs = totalLatencyMs(exchange.faults);
    const durationMs = performance.now() - startedAt + delayMs;
    this.#log(exchange, authorized, response, mode, durationMs);
    return { response, mode, delayMs };
  }

  #receive(request: RawRequest): Exchange {
    const { market, faults, settings, form } = this.#dependencies;
    const { method, rawQuery, headers } = request;
    this.#count += 1;
    const requestId = `req_${this.#instance}${this.#count.toString(16).padStart(8, '0')}`;
    const path = withoutPrefix(request.rawPath, settings.pathPrefix);
    const match = endpointsAt(path).find(({ endpoint }) => endpoint.method === method);
    const active = faults.consume({
      method,
      path,
      rawQuery,
      headers,
      endpoint: match && endpointName(match.endpoint),
      get json() {
        const json = parseJson(request.body.toString('utf8'));
        return form?.ownJson(match?.endpoint, json) ?? json;
      },
    });
    const now = market.clock.now();
    return {
      request,
      requestId,
      path,
      match,
      faults: active,
      responseFault: findResponseFault(active),
      now,
      verificationTime: now + clockOffsetMs(active),
      page: publicPage(market, request, path),
    };
  }

  /** Specification, part 5, "Verification by the service", steps 1 to 5. */
  #authorize({ request, match, verificationTime }: Exchange): Authorized | ServiceError {
    const { credentials } = this.#dependencies;
    try {
      const { credential, lines } = verify(request, credentials, this.#nonces, verificationTime);
      if (match !== undefined) checkScope(match, credential);
      return { credential, canonical: { expected: lines, signed: lines } };
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  /** `undefined` if a fault prevents the work. */
  #respond(
    { request, path, match, responseFault, page }: Exchange,
    authorized: Authorization,
  ): ServiceResponse | undefined {
    if (preventsWork(responseFault)) return undefined;
    if (authorized === 'public') return page?.();
    try {
      if (authorized instanceof ServiceError) throw authorized;
      const { credential } = authorized;
      if (match === undefined) throw notFound(request, path);
      if (request.bodyTooLarge) {
        throw new ServiceError(
          'validation_error',
          `The body is longer than ${maxBodyBytes} bytes.`,
        );
      }
      const work = () => this.#run(request, match, credential, responseFault);
      if (!match.endpoint.requiresIdempotencyKey) return jsonResponse(work());
      const { response, replayed } = this.idempotencyKeys.replayOrRun(request, credential, work);
      return jsonResponse(response, replayed ? { 'idempotent-replayed': 'true' } : {});
    } catch (error) {
      return this.#toErrorResponse(error);
    }
  }

  #applyFaults(exchange: Exchange, response: ServiceResponse | undefined): ServiceResponse {
    const { responseFault, now, verificationTime, requestId } = exchange;
    const changed = applyFault(
      responseFault,
      response,
      (code, message) => this.#errorResponse({ code, message }),
      now,
    );
    return withStandardHeaders(this.#inForm(exchange, changed), verificationTime, requestId);
  }

  /** The service's own success as the profile has it; errors have their form, and what a fault says is its own. */
  #inForm({ request, match, page, responseFault }: Exchange, response: ServiceResponse) {
    const isOther = responseFault?.kind === 'response' || response.body === '';
    const { status, error } = response;
    if (page !== undefined || isOther || error !== undefined || status >= 300) return response;
    const { baseUrlFor, form } = this.#dependencies;
    if (form === undefined || match === undefined) return response;
    const url = `${baseUrlFor(request.origin)}${request.rawPath}?${request.rawQuery}`;
    return form.render(match.endpoint, response, url);
  }

  #log(
    { request, requestId, path, match, faults, responseFault, now }: Exchange,
    authorized: Authorization,
    response: ServiceResponse,
    mode: DeliveryMode,
    durationMs: number,
  ): void {
    const isReset = mode.kind === 'reset';
    const refusal = authorized instanceof ServiceError ? authorized : undefined;
    const { log, form } = this.#dependencies;
    log(
      recordRequest(request, {
        path,
        receivedAt: now,
        durationMs,
        verdict: authorized === 'public' ? 'public' : (refusal?.code ?? 'accepted'),
        reason: refusal instanceof SignatureError ? refusal.why : refusal?.message,
        status: isReset ? undefined : response.status,
        errorCode: response.error?.code,
        errorMessage: response.error?.message,
        // A reset before the work leaves no response; one after it loses the response on its way.
        response: isReset && preventsWork(responseFault) ? undefined : response,
        canonical: canonicalOf(authorized),
        endpoint: match && endpointName(match.endpoint),
        requestId,
        faults: faults.map(({ kind }) => kind),
        toOwn: (json) => form?.ownJson(match?.endpoint, json) ?? json,
      }),
    );
  }

  #run(
    { origin, body, rawQuery }: RawRequest,
    match: Match,
    credential: IssuedCredential,
    fault: Fault | undefined,
  ): StoredResponse {
    const { market, baseUrlFor, form } = this.#dependencies;
    try {
      const baseUrl = baseUrlFor(origin);
      const context = { market, credential, rawQuery, body, baseUrl, form };
      const result = callEndpoint(match, context, fault?.kind === 'ignoredFilter');
      const content = 'record' in result ? result.record : result.body;
      return { status: result.status, body: JSON.stringify(content) };
    } catch (error) {
      return this.#toErrorResponse(error);
    }
  }

  #toErrorResponse(error: unknown): ServiceResponse {
    if (error instanceof ServiceError) return this.#errorResponse(error);
    const message = error instanceof Error ? error.message : String(error);
    return this.#errorResponse({ code: 'internal_error', message });
  }

  #errorResponse(error: ErrorContent & { readonly status?: number }): ServiceResponse {
    const { code, message, details, status: given = 500 } = error;
    const plain = {
      status: given,
      body: details === undefined ? { code, message } : { code, message, details },
    };
    const { status, body } = this.#dependencies.form?.error(error, given) ?? plain;
    return jsonResponse({ status, body: JSON.stringify(body), error: { code, message } });
  }
}

function canonicalOf(authorized: Authorization): CanonicalComparison | undefined {
  if (authorized === 'public') return undefined;
  if (authorized instanceof SignatureError) return authorized.canonical;
  return authorized instanceof ServiceError ? undefined : authorized.canonical;
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

function notFound({ method, rawPath }: RawRequest, path: string): ServiceError {
  const others = endpointsAt(path).map(({ endpoint }) => endpointName(endpoint));
  const hint = others.length > 0 ? ` At this path there is ${others.join(' and ')}.` : '';
  return new ServiceError('not_found', `There is no endpoint ${method} ${rawPath}.${hint}`);
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
