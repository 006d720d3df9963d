/** The commands for a running emulator that are one call each: trigger, clock, reset. */

import { intendedName } from '../field-names.js';
import { eventTypes } from '../webhooks/event-types.js';
import { actionCommand, print, type Json } from './actions.js';
import { controlClient, controlUsage, parseControlArgs } from './control-client.js';
import { UsageError, type Terminal } from './terminal.js';

export const triggerUsage = `market-partner-sdk trigger <type> [options]

Emits an event of any type in a running emulator, about an order or an invented one. The documented
types: ${eventTypes.slice(0, 3).join(', ')},
${eventTypes.slice(3).join(', ')}.

  --order <public_id>      the order that the event is about
${controlUsage}
Example: market-partner-sdk trigger order.settled
`;

export async function runTrigger(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseControlArgs(args, {
    order: { type: 'string' },
  });
  const [type, ...more] = positionals;
  if (type === undefined || more.length > 0) throw new UsageError('give one type of event');
  const body = { type, ...(values.order === undefined ? {} : { order: values.order }) };
  const event = (await controlClient(values, terminal).post('/emitEvent', body)) as Json;
  print(terminal, values.json, event, `${String(event.id)} ${String(event.type)}`);
  warnOfUnknownType(type, terminal);
  return 0;
}

/** To stderr: a script reads the id from stdout. */
function warnOfUnknownType(type: string, { err }: Terminal): void {
  if (eventTypes.some((known) => known === type)) return;
  const intended = intendedName(type, eventTypes);
  const hint = intended === undefined ? '' : ` Did you mean "${intended}"?`;
  err(`${type} is not a documented type of event.${hint}\n`);
}

export const clockCommand = actionCommand({
  name: 'clock',
  description: 'Moves the clock of a running emulator forward.',
  actions: {
    advance: {
      positionals: ['<duration>'],
      summary: "'11 minutes': quotes expire; '13 hours': keys are looked up before a resend",
      run: async (client, [duration]) => {
        const value = (await client.post('/clock/advance', { duration })) as Json;
        return { value, text: String(value.iso) };
      },
    },
  },
  byDefault: 'advance',
  example: "market-partner-sdk clock advance '11 minutes'",
});

export const resetUsage = `market-partner-sdk reset [options]

Puts a running emulator back to its start: every domain is for sale again, orders, events and faults are
gone. Credentials stay valid. Webhooks must be registered again.

${controlUsage}
Example: market-partner-sdk reset
`;

export async function runReset(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseControlArgs(args, {});
  if (positionals.length > 0) throw new UsageError('"reset" takes no arguments');
  await controlClient(values, terminal).post('/reset');
  print(terminal, values.json, {}, 'The emulator is as at its start. Credentials stay valid.');
  return 0;
}
