/** The command `market-partner-sdk faults`: arms, lists and removes faults of a running emulator. */

import { InvalidArgumentError, type Command } from 'commander';
import { faultNames } from '../testing/control/fault-input.js';
import { ActionGroup, listAction, type Json } from './control-action.js';
import type { CommandTerminal } from './terminal.js';
import { positiveNumber, wholeNumber } from './values.js';

interface Frequency {
  readonly times?: number | 'all';
  readonly chance?: number;
}

const list = listAction('/faults', faultLine, 'no fault is armed');

export function addFaults(program: Command, terminal: CommandTerminal): void {
  const faults = new ActionGroup(program, 'faults', terminal);
  faults.command
    .summary('arm, list and remove faults')
    .description(
      `Arms, lists and removes the faults of a running emulator. <calls> is 'POST /orders' or a path; a value of <fault> is in parentheses: 'rateLimited(2)'. <delivery> is twice, lost, outOfOrder or 'late(10 minutes)'.\n\nFaults: ${faultNames.join(', ')}`,
    )
    .option('--times <n>', 'how often; "all" is until it is removed', timesOf)
    .option(
      '--chance <number>',
      'probability for each call, such as 0.1; repeatable by --seed',
      positiveNumber,
    )
    .addHelpText(
      'after',
      '\nExample: market-partner-sdk faults on "POST /orders" resetAfterWork --times 1',
    );
  faults.add('list', 'list what is armed (without an action)', list, { isDefault: true });
  faults.add<[match: string, fault: string], Frequency>(
    'on <calls> <fault>',
    'arm a fault for these calls',
    async (client, [match, fault], frequency) => {
      await client.post('/faults/on', { match, fault, ...bodyOf(frequency) });
      return list(client);
    },
  );
  faults.add<[delivery: string], Frequency>(
    'deliveries <delivery>',
    'arm a fault of webhook deliveries',
    async (client, [delivery], frequency) => {
      const fault = deliveryFaultOf(delivery);
      await client.post('/faults/deliveries/next', { fault, ...bodyOf(frequency) });
      return list(client);
    },
  );
  faults.add('clear', 'remove every fault', async (client) => {
    await client.post('/faults/clear');
    return list(client);
  });
}

function faultLine({ id, target, match, title, left }: Json): string {
  return [id, target, match, title, 'left:', left ?? 'all'].map(String).join(' ');
}

function timesOf(text: string): number | 'all' {
  try {
    return text === 'all' ? text : wholeNumber(1)(text);
  } catch {
    throw new InvalidArgumentError('It must be a whole number above zero, or "all".');
  }
}

/** In the body, `null` is until it is removed. */
function bodyOf({ times, chance }: Frequency) {
  return { times: times === 'all' ? null : times, chance };
}

/** `late(10 minutes)` or the name of a fault. */
function deliveryFaultOf(text: string): unknown {
  const [, late] = /^late\((.+)\)$/.exec(text) ?? [];
  return late === undefined ? text : { late };
}
