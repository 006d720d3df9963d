/** The calls of the control API that arm a fault, from the fields of a form. */

import type { Call } from './commands.js';
import type { FaultOptionsView, FaultView } from './wire.js';

/** The text of each field of a form, by its name; an empty one was left out. */
export type FormFields = Partial<Record<string, string>>;

export function callFault({ match = '', fault = '', value = '', times }: FormFields): Call {
  const body = { fault: value === '' ? fault : `${fault}(${value})`, ...timesOf(times) };
  return match === '' ? ['/faults/next', body] : ['/faults/on', { match, ...body }];
}

export function deliveryFault({ fault = '', duration, type, times }: FormFields): Call {
  const what = fault === '' ? { late: duration } : fault;
  return ['/faults/deliveries/next', { fault: what, ...typeOf(type), ...timesOf(times) }];
}

export function lateFault(
  target: 'history' | 'orderList',
  { duration, type, times }: FormFields,
): Call {
  return [`/faults/${target}/late`, { duration, ...typeOf(type), ...timesOf(times) }];
}

/** A test of docs/testing.md that every integration has. */
export interface Preset {
  readonly title: string;
  readonly call: Call;
}

/** Those tests, but the one whose price must be read first. */
export const presets: readonly Preset[] = [
  {
    title: 'The response to the next order is lost',
    call: ['/faults/on', { match: 'POST /orders', fault: 'resetAfterWork', times: 1 }],
  },
  { title: 'Every open quote expires', call: ['/clock/advance', { duration: '11 minutes' }] },
  { title: 'The next event comes twice', call: ['/faults/deliveries/next', { fault: 'twice' }] },
  { title: 'The next event never comes', call: ['/faults/deliveries/next', { fault: 'lost' }] },
];

/** What a fault of deliveries does. */
export const deliveryEffects: Readonly<Record<string, string>> = {
  twice: 'comes twice',
  lost: 'never comes',
  outOfOrder: 'comes after the next one',
  late: 'comes late',
};

/** What is armed, as a sentence. */
export function describeFault(armed: FaultView, { faults }: Pick<FaultOptionsView, 'faults'>) {
  const { target, match, kinds, title, left, chance } = armed;
  const ofType = match === 'all' ? 'each event' : match;
  const partOf = (part: RegExp) => part.exec(title)?.[0] ?? title;
  const effectOf = (kind: string) => {
    // A response has no effect of its own; the title has its status.
    if (kind === 'response') return `the response has ${partOf(/status \d+/)}`;
    const effect = faults.find(({ name }) => name === kind)?.effect ?? kind;
    if (kind !== 'latency') return effect;
    const late = partOf(/[\w.]+(?= ms)/);
    return `${effect}: ${late === 'Infinity' ? 'never' : `after ${late} ms`}`;
  };
  const sentences: Readonly<Record<FaultView['target'], string>> = {
    calls: `${match === 'next' ? 'the next call' : match}: ${kinds.map(effectOf).join('; ')}`,
    deliveries: `${ofType} ${deliveryEffects[kinds[0] ?? ''] ?? title}`,
    history: `the event history shows ${ofType} late`,
    orderList: 'the order list shows each new order late',
  };
  const often = left === null ? 'until it is disarmed' : left === 1 ? 'once' : `${left} times`;
  const probability = chance === 1 ? '' : `, with a chance of ${chance}`;
  return `${sentences[target]} (${often}${probability})`;
}

/** `null` is without an end. */
function timesOf(text = ''): { times: number | null } {
  return { times: text === '' ? null : Number(text) };
}

function typeOf(text = ''): { type?: string } {
  return text === '' ? {} : { type: text };
}
