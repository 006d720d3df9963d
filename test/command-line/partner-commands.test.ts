/** What the commands of a rehearsal print, and how it is read. */

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PartnerCommands } from '../../src/command-line/rehearse/partner-commands.js';
import { ProcessGroups } from '../../src/command-line/rehearse/process-groups.js';
import { webhookReceivers } from '../testing/webhook-receiver.js';

const receiver = webhookReceivers();
const sale = { domain: 'brew.example', payment: 'payment-1' };

/** What `--ask` says of a route that answers with this. */
async function asked(answer: string, status = 200) {
  const { url } = await receiver((response) => response.writeHead(status).end(answer));
  const groups = new ProcessGroups();
  onTestFinished(() => groups.endAll());
  const settings = {
    sell: 'true',
    ask: `${url}?payment={payment}`,
    withdraw: undefined,
    cwd: '.',
    env: {},
  };
  return new PartnerCommands(settings, groups).ask(sale);
}

const believed = async (answer: string, status = 200) => (await asked(answer, status)).belief;

describe('--ask with an address', () => {
  it.each([
    ['placed', 'placed'],
    ['"Placed"\n', 'placed'],
    ['{"state":"refused"}', 'refused'],
    ['{"payment":"payment-1","state":"open","at":1}', 'open'],
    ['["placed"]', 'placed'],
    ['refused 51200', 'refused'],
  ])('reads %s', async (answer, belief) => {
    expect(await believed(answer)).toBe(belief);
  });

  it.each([
    ['refused 51200', 51_200],
    ['"Refused 0"', 0],
    ['{"state":"refused","paid_back":51200}', 51_200],
    ['{"state":"refused","paid_back":"51200"}', undefined],
    ['{"state":"refused","paid_back":null,"amount":51200}', undefined],
    ['refused', undefined],
    ['51200', undefined],
  ])('reads the cents that were paid back from %s', async (answer, cents) => {
    expect((await asked(answer)).paidBackCents).toBe(cents);
  });

  it.each([
    'refused 512.00',
    'refused -1',
    '{"state":"placed","before":"open"}',
    '{"placed":true}',
    'not placed',
    '',
    'null',
  ])('does not guess at %j', async (answer) => {
    expect(await believed(answer)).toBeUndefined();
  });

  it('believes no answer of an error', async () => {
    expect(await believed('placed', 500)).toBeUndefined();
  });

  it('goes to this machine itself, though a proxy is in the way of fetch', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('the proxy has no such route')));
    onTestFinished(() => void vi.unstubAllGlobals());
    expect(await believed('placed')).toBe('placed');
  });
});
