/** The command `market-partner-sdk listen`: the event history, delivered to a local receiver. */

import { readFile, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { MarketClient } from '../client/client.js';
import type { MarketEvent } from '../webhooks/events.js';
import { signWebhook } from '../webhooks/verify.js';
import { messageOf, printable, UsageError, type Terminal } from './terminal.js';

const defaultSecret = 'whsec_local';
const defaultCursorFile = '.market-partner-sdk-listen.json';
const pollMs = 2_000;
const receiverTimeoutMs = 30_000;
const pageSize = 100;

export const listenUsage = `market-partner-sdk listen --forward-to <url> [options]

Reads the event history with MARKET_BASE_URL, MARKET_KEY_ID and MARKET_SECRET, signs each new
event with a local secret and posts it to your receiver. No tunnel is needed. It starts with
the next event, and after a restart where it left.

  --forward-to <url>       your receiver: http://localhost:3000/webhooks
  --secret <text>          the secret that your receiver expects (${defaultSecret})
  --from-beginning         start with the first event of the history
  --replay <event id>      post this event again and end
  --cursor-file <file>     where it keeps its place (${defaultCursorFile})
  --live                   allow a live credential
`;

export async function runListen(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = readArguments(args);
  const { MarketClient: Client } = await import('../client/client.js');
  const { env = {} } = terminal;
  const market = new Client({
    ...(env.MARKET_BASE_URL === undefined ? {} : { baseUrl: env.MARKET_BASE_URL }),
    ...(env.MARKET_KEY_ID === undefined ? {} : { keyId: env.MARKET_KEY_ID }),
    ...(env.MARKET_SECRET === undefined ? {} : { secret: env.MARKET_SECRET }),
    forbidLive: !options.isLive,
  });
  try {
    return options.replay === undefined
      ? await follow(market, options, terminal)
      : await replay(market, options.replay, options, terminal);
  } finally {
    await market.close();
  }
}

interface Options {
  readonly forwardTo: string;
  readonly secret: string;
  readonly isFromBeginning: boolean;
  readonly replay: string | undefined;
  readonly cursorFile: string;
  readonly isLive: boolean;
}

function readArguments(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'forward-to': { type: 'string' },
      secret: { type: 'string', default: defaultSecret },
      'from-beginning': { type: 'boolean', default: false },
      replay: { type: 'string' },
      'cursor-file': { type: 'string', default: defaultCursorFile },
      live: { type: 'boolean', default: false },
    },
  });
  const forwardTo = values['forward-to'] ?? '';
  if (!URL.canParse(forwardTo) || !/^https?:$/.test(new URL(forwardTo).protocol)) {
    throw new UsageError('"--forward-to" must be an http or https address');
  }
  if (values.secret === '') throw new UsageError('"--secret" must not be empty');
  return {
    forwardTo,
    secret: values.secret,
    isFromBeginning: values['from-beginning'],
    replay: values.replay,
    cursorFile: values['cursor-file'],
    isLive: values.live,
  };
}

/** Posts every new event until the command is stopped. */
async function follow(market: MarketClient, options: Options, terminal: Terminal): Promise<number> {
  const { out, err, stop } = terminal;
  let cursor = options.isFromBeginning ? undefined : await readCursor(options.cursorFile);
  if (cursor === undefined && !options.isFromBeginning) {
    cursor = await skipToEnd(market, stop);
    if (cursor !== undefined) await writeCursor(options.cursorFile, cursor);
  }
  out(`Events go to ${options.forwardTo}, signed with ${options.secret}. Stop it with Ctrl-C.\n`);
  // A function: the compiler takes a signal that was not aborted for one that never is.
  const isStopped = () => stop.aborted;
  while (!isStopped()) {
    try {
      const page = await market.events.list(
        { limit: pageSize, ...(cursor === undefined ? {} : { after_id: cursor }) },
        { signal: stop },
      );
      for (const event of page.items) {
        if (isStopped()) return 0;
        await forward(event, options, terminal);
        cursor = event.id;
        await writeCursor(options.cursorFile, cursor);
      }
      if (page.items.length > 0) continue;
    } catch (error) {
      if (isStopped()) return 0;
      err(`${printable(messageOf(error))}\n`);
    }
    await pause(stop);
  }
  return 0;
}

async function replay(
  market: MarketClient,
  id: string,
  options: Options,
  terminal: Terminal,
): Promise<number> {
  for await (const event of market.events.list({ limit: pageSize }, { signal: terminal.stop })) {
    if (event.id !== id) continue;
    return (await forward(event, options, terminal)) ? 0 : 1;
  }
  throw new Error(`There is no event ${id} in the history.`);
}

/** Posts one event as the service does (specification, part 6); `true` for a 200. */
async function forward(event: MarketEvent, options: Options, { out }: Terminal): Promise<boolean> {
  // The history does not name the partner; a delivery does.
  const body = JSON.stringify({ partner_id: 'prt_listen', ...event });
  const started = performance.now();
  let result: string;
  try {
    const response = await fetch(options.forwardTo, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-market-signature': signWebhook(body, options.secret),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(receiverTimeoutMs),
    });
    await response.arrayBuffer();
    result = String(response.status);
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    result = messageOf(cause ?? error);
  }
  const ms = Math.round(performance.now() - started);
  out(`${printable(`${event.id} ${event.type} -> ${result} (${ms} ms)`)}\n`);
  return result === '200';
}

async function skipToEnd(market: MarketClient, signal: AbortSignal): Promise<string | undefined> {
  let last: string | undefined;
  for await (const event of market.events.list({ limit: 1000 }, { signal })) last = event.id;
  return last;
}

async function readCursor(file: string): Promise<string | undefined> {
  try {
    const { after_id } = JSON.parse(await readFile(file, 'utf8')) as { after_id?: unknown };
    return typeof after_id === 'string' ? after_id : undefined;
  } catch {
    // The first start, or a file that was cut off: begin with the next event.
    return undefined;
  }
}

async function writeCursor(file: string, after_id: string): Promise<void> {
  await writeFile(file, `${JSON.stringify({ after_id })}\n`);
}

function pause(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, pollMs);
    stop.addEventListener('abort', end, { once: true });
  });
}
