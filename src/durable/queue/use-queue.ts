/** `useQueue`: opens a queue for what runs no job of it, and closes it. */

import type { DurableQueue, QueueEngine } from './engine.js';

/** Of a queue that is only read or changed. */
const limits = { leaseMs: 30_000, keepDoneMs: 3_650 * 86_400_000 };

export async function useQueue<T>(
  engine: QueueEngine,
  name: string,
  work: (queue: DurableQueue) => Promise<T>,
): Promise<T> {
  const queue = await engine.open({ name, ...limits });
  try {
    return await work(queue);
  } finally {
    await queue.close();
  }
}
