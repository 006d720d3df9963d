/** The members of BullMQ 6 that the engine calls; the partner passes the classes. */

/** The `Queue` class of BullMQ 6. */
export type BullQueueClass = new (name: string, options: BullQueueOptions) => BullQueueLike;

/** The `Worker` class of BullMQ 6. */
export type BullWorkerClass = new (
  name: string,
  processor: null,
  options: BullWorkerOptions,
) => BullWorkerLike;

/** What the engine opens a queue of BullMQ with. */
export interface BullQueueOptions {
  connection: object;
  prefix: string;
  skipVersionCheck?: boolean;
}

/** What the engine opens a worker of BullMQ with. */
export interface BullWorkerOptions extends BullQueueOptions {
  autorun: boolean;
  lockDuration: number;
  stalledInterval: number;
  maxStalledCount: number;
}

/** What `Queue` and `Worker` have in common. */
export interface BullBaseLike {
  /** The Redis key of a part of the queue: `'delayed'`, or a job's id. */
  toKey(type: string): string;
  getBackend(): { readonly client: Promise<unknown> };
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(force?: boolean): Promise<void>;
}

/** A `Queue` of BullMQ 6. */
export interface BullQueueLike extends BullBaseLike {
  setGlobalConcurrency(concurrency: number): Promise<unknown>;
  addBulk(jobs: BullBulkJob[]): Promise<unknown>;
  getJob(id: string): Promise<unknown>;
  getJobs(types: BullState[], start: number, end: number, asc: boolean): Promise<unknown[]>;
  getJobCounts(...types: BullState[]): Promise<Record<string, number>>;
  clean(graceMs: number, limit: number, type: 'completed'): Promise<string[]>;
}

/** A `Worker` of BullMQ 6 without a processor: the engine fetches the jobs. */
export interface BullWorkerLike extends BullBaseLike {
  getBackend(): { readonly client: Promise<unknown>; readonly blockingClient: unknown };
  getNextJob(token: string, options: { block: false }): Promise<unknown>;
  startStalledCheckTimer(): Promise<void>;
}

/** The states of BullMQ that the engine's jobs can have. */
export type BullState = 'wait' | 'prioritized' | 'delayed' | 'active' | 'completed' | 'failed';

/** A job to add. */
export interface BullBulkJob {
  name: string;
  data: object;
  // eslint-disable-next-line id-denylist -- BullMQ's name
  opts: BullJobOptions;
}

/** How the engine stores a job. */
export interface BullJobOptions {
  jobId: string;
  attempts: 1;
  stackTraceLimit: 0;
  removeOnComplete: { age: number };
  removeOnFail: false;
  /** Which call of `enqueue` stored the job; BullMQ keeps it with the other options. */
  storedBy: string;
}

/** A `Job` of BullMQ 6. */
export interface BullJobLike {
  readonly id: string;
  readonly data: unknown;
  // eslint-disable-next-line id-denylist -- BullMQ's name
  readonly opts: { lifo?: boolean };
  readonly timestamp: number;
  readonly attemptsStarted: number;
  readonly returnvalue: unknown;
  readonly failedReason?: string | null;
  updateData(data: object): Promise<unknown>;
  extendLock(token: string, ms: number): Promise<number>;
  moveToCompleted(value: object, token: string, fetchNext: false): Promise<unknown>;
  moveToFailed(error: Error, token: string, fetchNext: false): Promise<unknown>;
  moveToDelayed(timestamp: number, token: string): Promise<unknown>;
  moveToWait(token: string): Promise<unknown>;
  promote(): Promise<unknown>;
  retry(state: 'failed'): Promise<unknown>;
  getState(): Promise<string>;
}

/** The commands of ioredis that the engine calls for its own few keys. */
export interface RedisLike {
  info(): Promise<string>;
  config(command: 'GET', parameter: string): Promise<unknown>;
  exists(...keys: string[]): Promise<number>;
  incr(key: string): Promise<number>;
  hget(key: string, field: string): Promise<string | null>;
  hmget(key: string, ...fields: string[]): Promise<(string | null)[]>;
  hset(key: string, field: string, value: string): Promise<unknown>;
  hsetnx(key: string, field: string, value: string): Promise<unknown>;
  zadd(key: string, score: number, member: string): Promise<unknown>;
  zrem(key: string, member: string): Promise<unknown>;
  zrange(key: string, start: number, end: number, withScores: 'WITHSCORES'): Promise<string[]>;
  zrangebylex(
    key: string,
    min: string,
    max: string,
    limit: 'LIMIT',
    offset: number,
    count: number,
  ): Promise<string[]>;
  xadd(key: string, ...args: string[]): Promise<unknown>;
  xread(...args: string[]): Promise<unknown>;
}

/** Whether BullMQ refused a change: the job is gone, elsewhere, or locked by another worker. */
export function isRefused(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'number' && code < 0;
}
