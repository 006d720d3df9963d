/** `market-partner-sdk/durable/pg-boss`: the durable engine on PostgreSQL, by pg-boss. */

export {
  pgBossEngine,
  type PgBossConnectionOptions,
  type PgBossEngineOptions,
} from './pg-boss-engine.js';
export type { PgBossAddTx } from './pg-boss-store.js';
export type {
  BossAttempt,
  BossChange,
  BossInsert,
  PgBossLike,
  PgClientLike,
  PgPoolLike,
  SqlExecutor,
} from './boss.js';
