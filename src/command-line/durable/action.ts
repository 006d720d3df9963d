/** `Action`: one thing that an operator does with the queues of an engine. */

import type { DurableEngine } from '../../durable/queue/engine.js';
import type { DurableArguments } from './arguments.js';
import type { Consumer } from './consumers.js';

/** What an action prints. */
export interface ActionResult {
  readonly json: unknown;
  readonly lines: readonly string[];
}

/** One action on queues that are there. */
export type Action = (
  engine: DurableEngine,
  consumers: readonly Consumer[],
  options: DurableArguments,
) => Promise<ActionResult>;
