/** The calls of the control API that arm a fault, from the fields of a form. */

import type { Call } from './commands.js';

/** The text of each field; an empty one was left out. */
export type FaultFields = Partial<Record<string, string>>;

export function callFault({ match = '', fault = '', value = '', times }: FaultFields): Call {
  const body = { fault: value === '' ? fault : `${fault}(${value})`, ...timesOf(times) };
  return match === '' ? ['/faults/next', body] : ['/faults/on', { match, ...body }];
}

export function deliveryFault({ fault = '', duration, type, times }: FaultFields): Call {
  const what = fault === '' ? { late: duration } : fault;
  return ['/faults/deliveries/next', { fault: what, ...typeOf(type), ...timesOf(times) }];
}

export function lateFault(
  target: 'history' | 'orderList',
  { duration, type, times }: FaultFields,
): Call {
  return [`/faults/${target}/late`, { duration, ...typeOf(type), ...timesOf(times) }];
}

/** `null` is without an end. */
function timesOf(text = ''): { times: number | null } {
  return { times: text === '' ? null : Number(text) };
}

function typeOf(text = ''): { type?: string } {
  return text === '' ? {} : { type: text };
}
