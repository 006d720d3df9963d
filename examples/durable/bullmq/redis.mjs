// What the programs of this folder share. Redis needs `appendonly yes` and `maxmemory-policy noeviction`.

const url = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');

export const connection = {
  host: url.hostname,
  port: Number(url.port || 6379),
  maxRetriesPerRequest: null,
};
export const prefix = process.env.BULLMQ_PREFIX ?? 'bull';

/** How soon another worker takes over what a killed one held. */
const takeoverMs = Number(process.env.TAKEOVER_MS ?? 30_000);

/** What both workers are started with. */
export const workerOptions = {
  connection,
  prefix,
  concurrency: 8,
  // A deploy that kills a worker is not the job's fault: by default BullMQ gives up at the second.
  maxStalledCount: 1_000,
  lockDuration: takeoverMs,
  stalledInterval: takeoverMs,
};

/** 20 attempts, up to 17 minutes apart: about three hours. Keep what failed, for the operator. */
export const jobOptions = {
  attempts: 20,
  backoff: { type: 'exponential', delay: 2_000, jitter: 0.5 },
  removeOnComplete: { age: 30 * 86_400 },
  removeOnFail: false,
};
