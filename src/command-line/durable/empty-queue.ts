/** `emptyQueue`: stands for a queue that is not there, where an engine would create it. */

import type { DurableQueue } from '../../durable/queue/engine.js';

export const emptyQueue: DurableQueue = {
  enqueue: () => Promise.reject(new Error('There is no such queue.')),
  checkpoint: () => Promise.resolve(undefined),
  work: () => Promise.resolve(),
  find: () => Promise.resolve(new Map()),
  list: () => Promise.resolve({ items: [], nextCursor: null }),
  counts: () => Promise.resolve({ waiting: 0, running: 0, dead: 0, oldestWaitingMs: null }),
  retry: () => Promise.resolve(false),
  complete: () => Promise.resolve(false),
  prune: () => Promise.resolve(0),
  close: () => Promise.resolve(),
};
