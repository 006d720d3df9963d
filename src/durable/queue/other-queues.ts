/** `OtherQueues`: the queues on an engine that belong to other programs, and work that is stranded there. */

import type { SafeLogger } from '../../logger.js';
import type { DurableEngine, DurableQueue, QueueSpec } from './engine.js';
import type { QueueCounts } from './job.js';
import { parseQueueName, type QueueKind, type QueueNames } from './queue-names.js';

/** A queue with work that no program seems to take. */
export interface StrandedQueue extends Pick<
  QueueCounts,
  'waiting' | 'running' | 'dead' | 'overdueMs'
> {
  /** `market-<name>-<environment>-<kind>`. */
  readonly queue: string;
}

/** A worker looks for work every few seconds, and a process that was killed is started again. */
const overdueLimitMs = 60_000;

export function isAbandoned({ overdueMs }: Pick<QueueCounts, 'overdueMs'>): boolean {
  return overdueMs !== null && overdueMs >= overdueLimitMs;
}

interface OtherQueuesOptions<Tx, AddTx> {
  readonly engine: DurableEngine<Tx, AddTx>;
  readonly names: QueueNames;
  /** Which queues to look for: those of an inbox, or those of an outbox. */
  readonly kinds: readonly QueueKind[];
  readonly limits: Omit<QueueSpec, 'name'>;
  readonly logger: SafeLogger;
}

export class OtherQueues<Tx, AddTx> {
  readonly #options: OtherQueuesOptions<Tx, AddTx>;
  #reported: readonly string[] = [];

  constructor(options: OtherQueuesOptions<Tx, AddTx>) {
    this.#options = options;
  }

  /** The queues that hold work which no program takes. */
  async findStranded(): Promise<StrandedQueue[]> {
    const stranded: StrandedQueue[] = [];
    for (const { queue, isRenamed } of await this.#list()) {
      const { waiting, running, dead, overdueMs } = await this.use(queue, (it) => it.counts());
      const holdsWork = waiting + running + dead > 0;
      // No program opens the queue of an earlier environment again, so it is reported at once.
      if (isRenamed ? holdsWork : isAbandoned({ overdueMs })) {
        stranded.push({ queue, waiting, running, dead, overdueMs });
      }
    }
    return stranded;
  }

  /** Logs each stranded queue once, until its work is taken. */
  async report(): Promise<void> {
    const { logger } = this.#options;
    const stranded = await this.findStranded().catch((error: unknown) => {
      logger.warn('The queues of the engine could not be looked at.', { error: String(error) });
      return [];
    });
    for (const { queue, ...counts } of stranded) {
      if (this.#reported.includes(queue)) continue;
      const { environment } = parseQueueName(queue) ?? {};
      logger.warn(
        `The queue "${queue}" holds work, and this program works on another one. Unless a program of ` +
          `its name still runs, start one with environment: "${environment}" and a credential of that environment.`,
        { queue, ...counts },
      );
    }
    this.#reported = stranded.map(({ queue }) => queue);
  }

  /** Queues of this kind that may hold the same work: they have the name and another environment. */
  async renamed(kind: QueueKind): Promise<readonly string[]> {
    const others = await this.#list();
    return others.filter((it) => it.isRenamed && it.kind === kind).map(({ queue }) => queue);
  }

  /** Opens a queue for as long as `work` takes. */
  async use<T>(name: string, work: (queue: DurableQueue<Tx, AddTx>) => Promise<T>): Promise<T> {
    const { engine, limits } = this.#options;
    const queue = await engine.open({ ...limits, name });
    try {
      return await work(queue);
    } finally {
      await queue.close();
    }
  }

  async #list() {
    const { engine, names, kinds } = this.#options;
    const own = await names.environment();
    return (await engine.listQueues()).flatMap((queue) => {
      const parts = parseQueueName(queue);
      if (parts === undefined || !kinds.includes(parts.kind)) return [];
      const { name, environment, kind } = parts;
      const hasOwnName = name === names.name;
      if (hasOwnName && environment === own) return [];
      // Sandbox and live are two programs. "any" may have been either of them.
      return [{ queue, kind, isRenamed: hasOwnName && [own, environment].includes('any') }];
    });
  }
}
