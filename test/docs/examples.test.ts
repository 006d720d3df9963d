import * as sdk from 'market-partner-sdk';
import * as webhooks from 'market-partner-sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { examplePrograms } from './doc-comments.js';
import { canRun } from './durable-on-sqlite.js';
import type { Program } from './programs.js';
import { runProgram } from './run.js';

const programs = examplePrograms();

describe('the examples of the doc comments', () => {
  it('are there, one for each call and each function at least', async () => {
    const market = new sdk.MarketClient({
      baseUrl: 'https://market.example',
      keyId: 'mk_sandbox_1',
      secret: 'msk_sandbox_1',
    });
    const resources = Object.values(market).filter((each) => typeof each === 'object');
    // The types have no `readDelivered`: the inbox calls it.
    const calls = resources.flatMap(methodsOf).filter((name) => name !== 'Events.readDelivered');
    const functions = [sdk, webhooks].flatMap((door) =>
      Object.entries(door)
        .filter(([, value]) => typeof value === 'function' && !String(value).startsWith('class'))
        .map(([name]) => name),
    );
    expect(calls.length).toBeGreaterThanOrEqual(30);
    const places = programs.map(({ places: [, place] }) => place.split(' ')[1]);
    expect([...calls, ...functions].filter((name) => !places.includes(name))).toEqual([]);
    await market.close();
  });

  it.each(programs.filter(canRun))('$name runs', async (program) => {
    const printed = await runProgram(program);
    // What an error's example prints, it prints once it has caught that error.
    if (isOfError(program)) expect(printed.flat()).not.toEqual([]);
  });

  it('are there for every error class and every record of options', () => {
    const errors = Object.entries(sdk).flatMap(([name, value]) =>
      typeof value === 'function' && value.prototype instanceof Error ? [name] : [],
    );
    const options = ['ClientOptions', 'RequestOptions', 'WaitForOptions', 'RawRequest'];
    const others = ['CallSpan', 'AttemptSpan', 'TransactionPage', 'CommissionPage'];
    const elsewhere = ['WebhookHandlerOptions', 'WebhookVerificationError', 'EmulatorOptions'];
    const wanted = [...errors, ...options, ...others, ...elsewhere, 'MarketEmulator', 'Faults'];
    const found = programs.map(({ places: [, place] }) => place.split(' ')[1]);
    expect(errors.length).toBeGreaterThan(15);
    expect(wanted.filter((name) => !found.includes(name))).toEqual([]);
  });
});

function isOfError({ places: [, place] }: Program): boolean {
  return place.startsWith('src/client/errors/') && place.endsWith('Error');
}

/** `Orders.create` and the like. */
function methodsOf(resource: object): string[] {
  const { name: owner, prototype } = resource.constructor as { name: string; prototype: object };
  return Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== 'constructor')
    .map((name) => `${owner}.${name}`);
}
