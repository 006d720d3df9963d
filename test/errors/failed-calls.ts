import { endpoints, type Endpoint } from '../../src/endpoints.js';
import { readAnswer } from '../../src/engine/answer.js';
import { refusalError, type FailedCall } from '../../src/errors/of-call.js';

export const idempotencyKey = '0b5f8a52-6f0e-4a43-9d7c-1f3f6c2b7a10';

/** The facts that an error carries as fields. */
export function factsOf(error: Error): Record<string, unknown> {
  return Object.fromEntries(Object.entries(error));
}

/** A call of an endpoint that failed, as the engine tells of it. */
export function failed(endpoint: Endpoint, more: Partial<FailedCall> = {}): FailedCall {
  return {
    name: endpoint.name,
    method: endpoint.method,
    path: endpoint.path.replace(/\{\w+\}/, 'x_1'),
    repeatable: endpoint.repeatable,
    scopes: endpoint.scopes,
    idempotencyKey: endpoint.keyed ? idempotencyKey : undefined,
    attempts: 1,
    outcome: 'rejected',
    ...more,
  };
}

/** The error of a call that the service answered with this status and body. */
export function refused(
  status: number,
  body: unknown,
  {
    call = failed(endpoints.orders.create),
    headers = {},
    retryAfterMs,
  }: {
    call?: FailedCall;
    headers?: Record<string, string>;
    retryAfterMs?: number;
  } = {},
) {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const answer = readAnswer({ status, headers, body: bytes }, [], false);
  if (answer.kind !== 'refusal') throw new Error(`a ${answer.kind}, not a refusal`);
  return refusalError(call, answer, retryAfterMs);
}
