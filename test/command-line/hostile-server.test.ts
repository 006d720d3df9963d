import { describe, expect, it } from 'vitest';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { runCommandLine } from '../../src/command-line/main.js';
import { webhookReceivers } from '../testing/webhook-receiver.js';

const receiver = webhookReceivers();

/** Escape sequences of both forms, a mark of direction, a zero width, and a separator of lines. */
const hostile = '\u001b[2J\u009b31m\u202eevil\u200b\u2028\u0007';

async function run(...args: string[]) {
  let out = '';
  let err = '';
  const code = await runCommandLine(args, {
    out: (text) => (out += text),
    err: (text) => (err += text),
    stop: new AbortController().signal,
    env: { MARKET_KEY_ID: 'mk_sandbox_1', MARKET_SECRET: 'msk_sandbox_1' },
  });
  return { code, out, err };
}

/** A server that gives this JSON to every request. */
async function responding(status: number, content: unknown): Promise<string> {
  const { url } = await receiver((response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content)),
  );
  return new URL(url).origin;
}

const visible = /^[\n\x20-\x7e\u00a1-\u1fff\u2030-\uffff]*$/;

describe('what a server says is printed without escape sequences and marks of direction', () => {
  it.each([['clock', 'advance', '1 hour'], ['orders'], ['faults'], ['domains'], ['reset']])(
    'in the error of %s %s',
    async (...args) => {
      const url = await responding(400, { code: 'x', message: `${hostile}\nforged line` });
      const { code, err } = await run(...args, '--url', url);
      expect(code).toBe(1);
      expect(err).toMatch(visible);
      expect(err).toContain('\\u001b[2J');
      expect(err.split('\n')).toHaveLength(2);
    },
  );

  it.each([
    [['clock', 'advance', '1 hour'], { iso: hostile }],
    [['trigger', 'order.settled'], { id: hostile, type: 'order.settled' }],
    [
      ['orders', 'ord_1'],
      { public_id: hostile, actions: [], sale_price_cents: 1, currency: 'USD' },
    ],
    [
      ['domains', 'reprice', 'a.example', '1'],
      { domain: hostile, price_cents: 1, currency: 'USD' },
    ],
  ])('in the output of %j', async (args, content) => {
    const url = await responding(200, content);
    const { code, out } = await run(...args, '--url', url);
    expect(code).toBe(0);
    expect(out).toMatch(visible);
    expect(out).toContain('\\u202eevil');
  });

  it('in JSON, which stays the same value', async () => {
    const url = await responding(200, { iso: hostile });
    const { out } = await run('clock', 'advance', '1 hour', '--url', url, '--json');
    expect(out).toMatch(visible);
    expect(JSON.parse(out)).toEqual({ iso: hostile });
  });

  it('in the log of the emulator', async () => {
    const emulator = await MarketEmulator.start({ control: true });
    const url = emulator.baseUrl;
    await fetch(`${url}/${encodeURIComponent(hostile)}`);
    const { err } = await run('domains', 'find', `${hostile}.example`, '--url', url);
    await emulator.stop();
    expect(err).toMatch(visible);
    expect(err).toContain('is not listed');
  });
});
