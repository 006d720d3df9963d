/** The command `market-partner-sdk faults`: arms, lists and removes faults of a running emulator. */

import { faultNames } from '../testing/control/fault-input.js';
import { actionCommand, type ActionResult, type Json, type OptionValues } from './actions.js';
import type { ControlClient } from './control-client.js';
import { UsageError } from './terminal.js';

export const faultsCommand = actionCommand({
  name: 'faults',
  description: `Arms, lists and removes the faults of a running emulator. <calls> is 'POST /orders' or a path; a
value of <fault> is in parentheses: 'rateLimited(2)'. <delivery> is twice, lost, outOfOrder or
'late(10 minutes)'.

Faults: ${lines(faultNames)}`,
  actions: {
    list: { positionals: [], summary: 'list what is armed (without an action)', run: list },
    on: {
      positionals: ['<calls>', '<fault>'],
      summary: 'arm a fault for these calls',
      run: async (client, [match, fault], options) => {
        await client.post('/faults/on', { match, fault, ...frequencyOf(options) });
        return list(client);
      },
    },
    deliveries: {
      positionals: ['<delivery>'],
      summary: 'arm a fault of webhook deliveries',
      run: async (client, [delivery = ''], options) => {
        const fault = deliveryFaultOf(delivery);
        await client.post('/faults/deliveries/next', { fault, ...frequencyOf(options) });
        return list(client);
      },
    },
    clear: {
      positionals: [],
      summary: 'remove every fault',
      run: async (client) => {
        await client.post('/faults/clear');
        return list(client);
      },
    },
  },
  byDefault: 'list',
  options: {
    'times <n>': 'how often; "all" is until it is removed',
    'chance <number>': 'probability for each call, such as 0.1; repeatable by --seed',
  },
  example: "market-partner-sdk faults on 'POST /orders' resetAfterWork --times 1",
});

async function list(client: ControlClient): Promise<ActionResult> {
  const armed = (await client.get('/faults')) as Json[];
  const text = armed.map(
    ({ id, target, match, title, left }) =>
      `${String(id)} ${String(target)} ${String(match)} ${String(title)} left: ${left === null ? 'all' : String(left as number)}`,
  );
  return { value: armed, text: text.join('\n') || 'no fault is armed' };
}

function frequencyOf({ times, chance }: OptionValues) {
  return { ...timesOf(times), ...(chance === undefined ? {} : { chance: Number(chance) }) };
}

function timesOf(text: string | undefined): { times?: number | null } {
  if (text === undefined) return {};
  if (text === 'all') return { times: null };
  if (!/^[1-9]\d*$/.test(text)) {
    throw new UsageError('"--times" must be a whole number above zero, or "all"');
  }
  return { times: Number(text) };
}

/** `late(10 minutes)` or the name of a fault. */
function deliveryFaultOf(text: string): unknown {
  const [, late] = /^late\((.+)\)$/.exec(text) ?? [];
  return late === undefined ? text : { late };
}

/** Names in lines that a terminal does not wrap. */
function lines(names: readonly string[]): string {
  return names.join(', ').replace(/(.{60,80}) /g, '$1\n  ');
}
