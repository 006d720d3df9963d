/** The commands for a running emulator that are one call each: trigger, clock, reset. */

import type { Command } from 'commander';
import { intendedName } from '../core/field-names.js';
import { eventTypes } from '../webhooks/event-types.js';
import { ActionGroup, controlAction, type Json } from './control-action.js';
import { addControlOptions } from './control-client.js';
import { UsageError, type CommandTerminal } from './terminal.js';
import { durationOf } from './values.js';

export function addTrigger(program: Command, terminal: CommandTerminal): void {
  addControlOptions(program.command('trigger <type>'))
    .summary('emit an event in a running emulator')
    .description(
      `Emits an event of any type in a running emulator, about an order or an invented one. The documented types: ${eventTypes.join(', ')}.`,
    )
    .option('--order <public_id>', 'the order that the event is about')
    .addHelpText('after', '\nExample: market-partner-sdk trigger order.settled')
    .action(
      controlAction<[type: string], { readonly order?: string }>(
        terminal,
        async (client, [type], { order }) => {
          refuseMisspelled(type);
          const event = (await client.post('/emitEvent', { type, order })) as Json;
          if (!isDocumented(type)) terminal.err(`${type} is not a documented type of event.\n`);
          return { value: event, text: `${String(event.id)} ${String(event.type)}` };
        },
      ),
    );
}

function isDocumented(type: string): boolean {
  return eventTypes.some((known) => known === type);
}

/** A type that is not known yet may be emitted, a misspelled one may not. */
function refuseMisspelled(type: string): void {
  if (isDocumented(type)) return;
  const intended =
    intendedName(type, eventTypes) ?? eventTypes.find((known) => known.endsWith(`.${type}`));
  if (intended !== undefined) {
    throw new UsageError(`${type} is not a type of event. Did you mean ${intended}?`);
  }
}

export function addClock(program: Command, terminal: CommandTerminal): void {
  const clock = new ActionGroup(program, 'clock', terminal);
  clock.command
    .summary('move the clock forward')
    .description('Moves the clock of a running emulator forward.')
    .addHelpText('after', '\nExample: market-partner-sdk clock advance "11 minutes"');
  clock.add<[duration: string]>(
    'advance <duration>',
    '"11 minutes": quotes expire; "13 hours": keys are looked up before a resend',
    async (client, [duration]) => {
      const value = (await client.post('/clock/advance', {
        duration: durationOf(duration),
      })) as Json;
      return { value, text: String(value.iso) };
    },
    { isDefault: true },
  );
}

export function addReset(program: Command, terminal: CommandTerminal): void {
  addControlOptions(program.command('reset'))
    .summary('put the emulator back to its start')
    .description(
      'Puts a running emulator back to its start. Every domain is for sale again, orders, events and faults are gone. Credentials stay valid. Webhooks must be registered again.',
    )
    .addHelpText('after', '\nExample: market-partner-sdk reset')
    .action(
      controlAction(terminal, async (client) => {
        await client.post('/reset');
        return { value: {}, text: 'The emulator is as at its start. Credentials stay valid.' };
      }),
    );
}
