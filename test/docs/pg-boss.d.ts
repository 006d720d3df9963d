/** What the snippets call of pg-boss, where it is not installed. */

import type { PgBossLike } from 'market-partner-sdk/durable/pg-boss';

type Boss = PgBossLike & { start(): Promise<Boss>; stop(options?: object): Promise<void> };

export const PgBoss: new (options: object) => Boss;
