/** A unit of durable work, from `enqueue` to its end. */

/** A unit of work to store. All strings are well-formed Unicode without NUL. */
export interface Job {
  /** Unique within its queue: an id that the queue knows is ignored, whatever its state. */
  readonly id: string;
  /** Jobs of one ordering key run one after the other, in the order of `enqueue`. */
  readonly orderingKey: string;
  /** What the handler needs, as text: usually JSON. Up to 1 MiB. */
  readonly body: string;
  /** When the work came to be, ISO 8601 in UTC. It decides no order. */
  readonly createdAt: string;
}

/**
 * The state of a job. `'running'` includes a job whose worker died, until its lease has expired;
 * `'dead'` is a dead letter: it holds its ordering key until `retry` or `complete`.
 */
export type JobState = 'waiting' | 'running' | 'dead' | 'done';

/** A job as `find` and `list` show it. */
export interface JobRecord {
  readonly id: string;
  readonly orderingKey: string;
  readonly state: JobState;
  /** Attempts that count, since `enqueue` or the last `retry`. */
  readonly attempt: number;
  /** Claims since `enqueue`: never reset, whether they counted or not. */
  readonly claims: number;
  readonly createdAt: string;
  readonly enqueuedAt: Date;
  /** Absent once the job is done, if the engine drops it then. */
  readonly body?: string | undefined;
  /** What the job ended with. */
  readonly output?: string | undefined;
  /** How the job ended, in one word of its consumer, which `list` can select by. */
  readonly outcome?: string | undefined;
  /** Why the last attempt failed, or why the job is a dead letter. */
  readonly error?: string | undefined;
}

/** A job that only this worker may run until its lease ends. */
export interface ClaimedJob<Tx> extends Job {
  /**
   * Attempts since `enqueue` or the last `retry`, this one included; counted before `run`, so that a
   * process that dies has used one. Those that ended with `countsAttempt: false` are taken out.
   */
  readonly attempt: number;
  /** Claims since `enqueue`, this one included: never reset, whether they counted or not. */
  readonly claims: number;
  /** When an attempt first ended with an error, since `enqueue` or the last `retry`. */
  readonly failingSince?: Date | undefined;
  readonly enqueuedAt: Date;
  /** Fires when the lease is lost, or when the worker releases the job. */
  readonly signal: AbortSignal;
  /**
   * Runs `write` in the transaction that marks the job done: both happen, or neither. The result
   * of `run` no longer counts after it.
   *
   * @throws {@link LeaseLostError} when another worker has the job; `write` is rolled back.
   * @throws {@link TypeError} when the engine has no transactions.
   */
  readonly commit: (write: (tx: Tx) => unknown, output?: string) => Promise<void>;
  /** Lets another job have this one's place while it waits for nothing but time. Its lease is held. */
  readonly park: (wait: () => Promise<void>) => Promise<void>;
}

/** How an attempt ended. Errors are stored in full, up to 64 KiB. */
export type JobResult =
  | {
      readonly done: string | undefined;
      /** One word, up to 40 characters, that `list` can select done jobs by. */
      readonly outcome?: string | undefined;
    }
  | {
      /** A lower bound. The job keeps its place in its ordering key. */
      readonly retryInMs: number;
      /** Why the attempt failed. Absent if it was released, which is not a failure. */
      readonly error?: string | undefined;
      /** `false` for an attempt that says nothing about the job: `attempt` is as it was before. */
      readonly countsAttempt?: false | undefined;
    }
  | { readonly deadLetter: string };

/** Which jobs `list` gives. */
export interface JobListOptions {
  readonly limit: number;
  /** Continues behind a page: its `nextCursor`. */
  readonly cursor?: string | undefined;
  /** Only done jobs that ended with this outcome. */
  readonly outcome?: string | undefined;
  /** Only open jobs with this ordering key. */
  readonly orderingKey?: string | undefined;
}

/** Jobs of one state, in the order of `enqueue`. */
export interface JobPage {
  readonly items: readonly JobRecord[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}

/** How much is in a queue. */
export interface QueueCounts {
  readonly waiting: number;
  readonly running: number;
  /** Dead letters. Each holds the later jobs of its ordering key. */
  readonly dead: number;
  /** Age of the oldest job that is neither done nor dead; `null` if there is none. */
  readonly oldestWaitingMs: number | null;
  /**
   * How long the job that is due the longest waits for a worker, retries and dead workers included.
   * `null` if none is due, and while a job runs: a worker is there.
   */
  readonly overdueMs: number | null;
}

/** A worker looks for work every few seconds, and a process that was killed is started again. */
const overdueLimitMs = 60_000;

/** Whether work is due that no program seems to take. */
export function isAbandoned({ overdueMs }: Pick<QueueCounts, 'overdueMs'>): boolean {
  return overdueMs !== null && overdueMs >= overdueLimitMs;
}

/** How far a history was read. Every event up to `cursor` is in the queue, handled or not. */
export interface Checkpoint {
  /** The id of the last event, `after_id` of the next page; `null` before the first. */
  readonly cursor: string | null;
  /** The latest events up to `cursor`, oldest first: places to read again from. */
  readonly anchors: readonly { readonly id: string; readonly created_at: string }[];
  /** The latest `created_at` that was read. */
  readonly horizon: string | null;
  /** When the checkpoint was written, ISO 8601 in UTC. */
  readonly at: string;
  /** The partner whose events these are, once a delivery has named it. */
  readonly partnerId?: string | undefined;
  /** The event types that its writer listens for; all others up to `cursor` were passed over. */
  readonly types?: readonly string[] | undefined;
  /** How far programs of the same name have read that listen for other types. */
  readonly places?:
    | readonly (Pick<Checkpoint, 'cursor' | 'anchors' | 'horizon' | 'at' | 'overlapReadAt'> & {
        readonly types: readonly string[];
      })[]
    | undefined;
  /** When the overlap was last read again, ISO 8601 in UTC: other polls begin at the cursor. */
  readonly overlapReadAt?: string | undefined;
  /** What came before the place where the consumer began: these ids, and everything created earlier. */
  readonly skipped?:
    { readonly before: string | null; readonly ids: readonly string[] } | undefined;
}
