/** `EngineKind`: how an engine is opened by its url, and what SQL it needs. */

import type { DurableEngine } from '../../durable/queue/engine.js';

/** What an engine is opened with. */
export interface EngineRequest {
  readonly url: string;
  readonly schema: string;
  /** Where the partner's packages and a relative path are looked for. */
  readonly cwd: string;
  /** Whether the action changes a job: all others read alone. */
  readonly writes: boolean;
}

/** An engine that creates nothing, and what it is closed with. */
export interface OpenEngine {
  readonly engine: DurableEngine;
  readonly listQueues: () => Promise<string[]>;
  readonly close: () => Promise<void>;
}

/** What `ddl` prints SQL for. */
export interface DdlRequest {
  readonly schema: string;
  readonly queues: readonly string[];
}

export interface EngineKind {
  readonly protocols: readonly string[];
  readonly open: (request: EngineRequest) => OpenEngine | Promise<OpenEngine>;
  readonly ddl: (request: DdlRequest) => string;
}
