/** Each way in which a poll of `pollEvents` or of an inbox ends, on a faked market and in a faked time. */

import { createEventInbox, memoryEngine, pollEvents } from 'market-partner-sdk/durable';

const hourMs = 3_600_000;

export const pollWays = {
  'a poll, with an event': async () => {
    const { relay, history } = relayOn(new History(), { signal: new AbortController().signal });
    history.fill();
    await relay.poll();
    return oneByOne(async () => {
      history.add();
      await relay.poll();
    });
  },
  'a poll, failed': () => {
    const { relay } = relayOn(new History({ isDown: true }));
    return oneByOne(async () => {
      const failed = await relay.poll().then(
        () => false,
        () => true,
      );
      if (!failed) throw new Error('the poll should have failed');
    });
  },
  'polls until a signal': () => {
    const history = new History();
    history.add();
    return async () => {
      const stop = new AbortController();
      const { relay } = relayOn(history, { signal: stop.signal });
      const running = relay.run();
      setTimeout(() => stop.abort(), 1);
      await running;
    };
  },
  'a poll of an inbox, with an event that is handled': async (t) => {
    const history = new History();
    let handled = () => undefined;
    const inbox = inboxOn(history, { onEvent: () => handled() });
    t.after(() => inbox.stop({ graceMs: 0 }));
    await inbox.start();
    return oneByOne(async () => {
      const handling = new Promise((resolve) => (handled = resolve));
      history.add();
      await inbox.poll();
      await handling;
      await inbox.prune();
    });
  },
  'a drain of an inbox, with an event': (t) => {
    const history = new History();
    const inbox = inboxOn(history);
    t.after(() => inbox.stop({ graceMs: 0 }));
    return oneByOne(async () => {
      history.add();
      await inbox.drain({ maxMs: 10_000 });
      await inbox.prune();
    });
  },
  'polls of an inbox, until it is stopped': () => {
    const history = new History();
    history.add();
    return async () => {
      const inbox = inboxOn(history);
      await inbox.start();
      await inbox.stop({ graceMs: 1_000 });
    };
  },
};

/** Polls at the same time would share one. */
function oneByOne(once) {
  let last = Promise.resolve();
  return () => (last = last.then(once));
}

/** The history of a market. It forgets what no overlap reads, and each event makes it an hour later. */
class History {
  environment = 'test';
  #isDown;
  #count = 0;
  #nowMs = Date.parse('2026-03-01T12:00:00Z');
  #events = [];

  constructor({ isDown = false } = {}) {
    this.#isDown = isDown;
  }

  /** As many events as a relay or an inbox remembers the ids of, and more. */
  fill() {
    for (let count = 0; count < 11_000; count += 1) this.add(Infinity);
  }

  add(most = 100) {
    this.#count += 1;
    this.#nowMs += hourMs;
    this.#events.push({
      id: `evt_${this.#count}`,
      type: 'order.settled',
      created_at: new Date(this.#nowMs).toISOString(),
      data: { order: { public_id: `ord_${this.#count}` } },
    });
    if (this.#events.length > most) this.#events = this.#events.slice(-most);
  }

  events = {
    list: async ({ after_id: afterId } = {}) => {
      await Promise.resolve();
      if (this.#isDown) throw new Error('the market is down');
      const items = this.#events.slice(this.#events.findIndex(({ id }) => id === afterId) + 1);
      return { items, hasNextPage: () => false };
    },
  };

  clock = () => this.#nowMs;
}

function relayOn(history, options) {
  let saved;
  const relay = pollEvents({
    market: history,
    startFrom: 'beginning',
    checkpoint: { read: () => saved, write: (checkpoint) => (saved = checkpoint) },
    enqueue: () => undefined,
    poll: { overlapEvents: 10 },
    logger: false,
    clock: history.clock,
    ...options,
  });
  return { relay, history };
}

function inboxOn(history, options) {
  return createEventInbox({
    market: history,
    engine: memoryEngine({ clock: history.clock }),
    startFrom: 'beginning',
    on: {},
    onEvent: () => undefined,
    poll: { overlapEvents: 10 },
    keepDoneMs: 24 * hourMs,
    logger: false,
    clock: history.clock,
    ...options,
  });
}
