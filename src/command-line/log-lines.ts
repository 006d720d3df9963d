/** The emulator's log: a line for each request and each delivery. */

import { formatTime } from '../testing/console/format.js';
import { viewRequest } from '../testing/control/views.js';
import type { DeliveryAttempt } from '../testing/deliveries/delivery-attempt.js';
import type { RecordedRequest } from '../testing/request-log.js';

/** `10:00:00.000 POST /api/partner/v1/orders 422 price_mismatch: The expected price …`. */
export function requestLine(request: RecordedRequest): string {
  const { method, rawPath, query, status, verdict, faults, receivedAt } = request;
  const target = query === '' ? rawPath : `${rawPath}?${query}`;
  const faultKinds = faults.length > 0 ? ` [${faults.join(', ')}]` : '';
  const word = request.errorCode ?? verdict;
  const reason = request.errorMessage ?? request.reason;
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${formatTime(receivedAt)} ${method} ${target} ${status ?? 'reset'} ${word}${faultKinds}${why}`;
}

/** `10:00:00.000 -> order.recorded evt_1 http://127.0.0.1:3000/hook 200 delivered`. */
export function deliveryLine(delivery: DeliveryAttempt): string {
  const { at, type, eventId, url, status, outcome, attempt, error } = delivery;
  const result = [status, outcome].filter((each) => each !== undefined).join(' ');
  const repeat = attempt === 1 ? '' : ` (attempt ${attempt})`;
  const why = error === undefined ? '' : `: ${error}`;
  return `${formatTime(at)} -> ${type} ${eventId} ${url} ${result}${repeat}${why}`;
}

/** The request as the control API shows it, without secrets. */
export function requestObject(request: RecordedRequest): object {
  return { type: 'request', ...viewRequest(request) };
}

/** The attempt as the control API shows it; `type` is the line's, `eventType` the event's. */
export function deliveryObject({ type: eventType, ...delivery }: DeliveryAttempt): object {
  return { type: 'delivery', eventType, ...delivery };
}
