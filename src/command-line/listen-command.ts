/** The command `market-partner-sdk listen`: the event history, delivered to a local receiver. */

import { parseArgs } from 'node:util';
import type { ListenOptions } from './listen/follow-history.js';
import { UsageError, type Terminal } from './terminal.js';

const defaultSecret = 'whsec_local';
const defaultCursorFile = '.market-partner-sdk-listen.json';

export const listenUsage = `market-partner-sdk listen --forward-to <url> [options]

Reads the event history with MARKET_BASE_URL, MARKET_KEY_ID and MARKET_SECRET, signs each new event with a
local secret and posts it to your receiver. No tunnel is needed. It starts with the next event, and resumes
where it left off after a restart. While the receiver does not respond, events wait.

  --forward-to <url>       your receiver
  --secret <text>          the secret that your receiver expects (${defaultSecret})
  --from-beginning         start with the first event of the history
  --replay <event id>      post this event again and end
  --cursor-file <file>     where it stores its position (${defaultCursorFile})
  --live                   allow a live credential

Example: market-partner-sdk listen --forward-to http://localhost:3000/webhooks
`;

export async function runListen(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = readArguments(args);
  // Not at the top: the other commands do not need the client.
  const { MarketClient } = await import('../client/client.js');
  const { followHistory, replayEvent } = await import('./listen/follow-history.js');
  const { env = {} } = terminal;
  const market = new MarketClient({
    baseUrl: env.MARKET_BASE_URL,
    keyId: env.MARKET_KEY_ID,
    secret: env.MARKET_SECRET,
    forbidLive: !options.isLive,
  });
  try {
    const { replay } = options;
    if (replay !== undefined) return (await replayEvent(market, replay, options, terminal)) ? 0 : 1;
    await followHistory(market, options, terminal);
    return 0;
  } finally {
    await market.close();
  }
}

function readArguments(args: readonly string[]): ListenOptions {
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
    isDefaultSecret: values.secret === defaultSecret,
    isFromBeginning: values['from-beginning'],
    replay: values.replay,
    cursorFile: values['cursor-file'],
    isLive: values.live,
  };
}
