/** Faults from JSON and from the command line: by name, in a call, or as an object. */

import type { Fault } from '../faults/fault.js';
import { faultKinds, faultNames, makeFault, type FaultName } from '../faults/fault-kinds.js';

type Values = Readonly<Record<string, unknown>>;

export { faultNames };

/** Each fault, with the field whose value may be written in parentheses after its name. */
export function listFaults() {
  return faultNames.map((name) => {
    const { fields, effect, example } = faultKinds[name];
    return { name, effect, field: Object.keys(fields())[0], example };
  });
}

/**
 * One fault or several: `'resetAfterWork'`, `'rateLimited(2)'`, `{ name: 'status', status: 503 }`, or
 * an array of these.
 *
 * @throws {@link TypeError} that names the field and the rule
 */
export function readFaults(value: unknown): Fault[] {
  return [value].flat().map(readFault);
}

function readFault(value: unknown): Fault {
  const { name, ...values } = typeof value === 'string' ? parseCall(value) : asObject(value);
  if (isFaultName(name)) return makeFault(name, values, 'fault');
  throw new TypeError(
    `"fault" must be one of ${faultNames.join(', ')}; got ${JSON.stringify(name ?? value)}`,
  );
}

/** `'latency(2 seconds)'`: the name, and the value of the first field. */
function parseCall(text: string): Values {
  const match = /^([A-Za-z]+)(?:\((.*)\))?$/.exec(text.trim());
  const [, name = text, argument] = match ?? [];
  if (!isFaultName(name) || argument === undefined || argument === '') return { name };
  const [field] = Object.keys(faultKinds[name].fields());
  if (field === undefined) throw new TypeError(`The fault "${name}" takes no arguments.`);
  return { name, [field]: argumentOf(argument) };
}

function isFaultName(name: unknown): name is FaultName {
  return typeof name === 'string' && Object.hasOwn(faultKinds, name);
}

function argumentOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

function asObject(value: unknown): Values {
  if (typeof value === 'object' && value !== null) return value as Values;
  return { name: value };
}
