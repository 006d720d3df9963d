/** What the faults of one request do to its response. */

import type { DeliveryMode, ServiceResponse } from '../http/messages.js';
import type { Fault } from './fault.js';
import { isAdditive } from './faults.js';
import { distort } from './lying-faults.js';

/** The one fault that replaces or breaks the response; latency and a wrong clock only add to it. */
export function findResponseFault(activeFaults: readonly Fault[]): Fault | undefined {
  return activeFaults.find((fault) => !isAdditive(fault));
}

/** Whether the service does nothing for this request. */
export function preventsWork(fault: Fault | undefined): boolean {
  return fault?.kind === 'resetBeforeWork' || (fault?.kind === 'response' && !fault.afterWork);
}

/**
 * The response under a fault.
 *
 * @param serviceResponse - the service's own; `undefined` if the fault prevented the work
 * @param errorResponse - builds a response in the service's error shape
 * @param nowMs - the service's time, for a list from the past
 */
export function applyFault(
  fault: Fault | undefined,
  serviceResponse: ServiceResponse | undefined,
  errorResponse: (code: string, message: string) => ServiceResponse,
  nowMs: number,
): ServiceResponse {
  if (fault?.kind === 'response') {
    const plain =
      fault.body === undefined
        ? errorResponse(fault.code, fault.message)
        : { headers: {}, body: fault.body, error: undefined };
    return {
      status: fault.status,
      headers: { ...plain.headers, ...lowerCaseNames(fault.headers) },
      body: plain.body,
      ...(plain.error === undefined ? {} : { error: plain.error }),
    };
  }
  // Only a reset has no response here, and a reset sends nothing.
  if (serviceResponse === undefined) return { status: 500, headers: {}, body: '' };
  switch (fault?.kind) {
    case 'emptyBody':
      return { ...serviceResponse, body: '' };
    case 'staleList':
    case 'partialList':
    case 'ignoredFilter':
    case 'changedReference':
    case 'otherRecord':
      return distort(fault, serviceResponse, nowMs);
    default:
      return serviceResponse;
  }
}

/** How the response is put on the wire. */
export function deliveryMode(fault: Fault | undefined): DeliveryMode {
  switch (fault?.kind) {
    case 'resetBeforeWork':
    case 'resetAfterWork':
      return { kind: 'reset' };
    case 'brokenBody':
      return { kind: 'broken' };
    case 'slowBody':
      return { kind: 'slow', chunkBytes: fault.chunkBytes, everyMs: fault.everyMs };
    case 'endlessBody':
      return { kind: 'endless', everyMs: fault.everyMs };
    default:
      return { kind: 'whole' };
  }
}

export function totalLatencyMs(activeFaults: readonly Fault[]): number {
  return activeFaults.reduce((sum, fault) => sum + (fault.kind === 'latency' ? fault.ms : 0), 0);
}

export function clockOffsetMs(activeFaults: readonly Fault[]): number {
  return activeFaults.reduce(
    (sum, fault) => sum + (fault.kind === 'wrongClock' ? fault.offsetMs : 0),
    0,
  );
}

function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
