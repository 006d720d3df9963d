/** The same with an inbox. */

import { MarketClient } from 'market-partner-sdk';
import { createEventInbox, memoryEngine } from 'market-partner-sdk/durable';

const inbox = createEventInbox({
  market: new MarketClient({
    baseUrl: 'https://market.example',
    keyId: 'mk_test_public',
    secret: 'msec_public',
  }),
  secret: 'whsec_public',
  engine: memoryEngine(),
  startFrom: 'beginning',
  onEvent: (event) => console.log(event.type),
});

export const POST = inbox.fetch;
