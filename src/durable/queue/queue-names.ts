/** `QueueNames`: the names of the queues of an inbox or outbox, fixed when it is created. */

import type { MarketClient } from '../../client/client.js';
import { matching, oneOf, withDefault } from '../../core/schema/options.js';
import { invalidOption } from '../options.js';
import { runWithin } from '../../core/time/timeout.js';
import type { Time } from '../../core/time/sleep.js';

/** Events of an inbox; orders of an outbox, and their results. */
export type QueueKind = 'events' | 'orders' | 'verdicts';

/** `'any'`: one queue for every environment. */
export type QueueEnvironment = NonNullable<MarketClient['environment']> | 'any';

/** The part of a client that says which environment it is in. */
export type EnvironmentSource = Pick<MarketClient, 'environment'> &
  Partial<Pick<MarketClient, 'resolveEnvironment'>>;

/** A queue's name, taken apart. */
export interface QueueParts {
  readonly name: string;
  readonly environment: QueueEnvironment;
  readonly kind: QueueKind;
}

export const environment = () => oneOf('sandbox', 'live', 'test', 'any');

export const queueName = () =>
  withDefault(
    matching(/^[A-Za-z0-9-]{1,40}$/, 'must be 1 to 40 letters, digits or hyphens'),
    'default',
  );

export function queueNameOf({ name, environment, kind }: QueueParts): string {
  return `market-${name}-${environment}-${kind}`;
}

const pattern = /^market-([A-Za-z0-9-]{1,40})-(sandbox|live|test|any)-(events|orders|verdicts)$/;

/** `undefined` for a queue of neither an inbox nor an outbox. */
export function parseQueueName(queue: string): QueueParts | undefined {
  const [, name, environment, kind] = pattern.exec(queue) ?? [];
  if (name === undefined) return undefined;
  return { name, environment: environment as QueueEnvironment, kind: kind as QueueKind };
}

interface QueueNamesOptions {
  readonly market: EnvironmentSource;
  readonly name: string;
  readonly environment?: QueueEnvironment | undefined;
  readonly time: Time;
}

const longestAskMs = 30_000;

export class QueueNames {
  readonly #options: QueueNamesOptions;
  readonly environment: QueueEnvironment;
  #isChecked: boolean;

  /** @throws {@link DurableConfigurationError} when no environment is named, or not the credential's. */
  constructor(options: QueueNamesOptions) {
    const { market, environment = market.environment } = options;
    if (environment === undefined) {
      throw invalidOption(
        'environment',
        'is required, as the credential of "market" does not name it: "live", "sandbox", or "any" for one queue of both',
      );
    }
    this.#options = options;
    this.environment = environment;
    this.#compare(market.environment);
    this.#isChecked = environment === 'any' || market.environment !== undefined;
  }

  of(kind: QueueKind): string {
    return queueNameOf({ name: this.#options.name, environment: this.environment, kind });
  }

  /**
   * Compares the environment with the credential, once one can be had.
   *
   * @throws {@link DurableConfigurationError} when they differ: live sales must not become sandbox orders.
   */
  async check(): Promise<void> {
    if (this.#isChecked) return;
    let actual: MarketClient['environment'];
    try {
      actual = await this.#ask();
    } catch {
      // Without a credential nothing is sent or read. The call that needs it reports why.
      return;
    }
    this.#compare(actual);
    this.#isChecked = true;
  }

  #compare(actual: MarketClient['environment']): void {
    const environment = this.environment;
    if (environment === 'any' || actual === undefined || environment === actual) return;
    throw invalidOption(
      'environment',
      `is "${environment}", and the credential of "market" is of ${actual}`,
    );
  }

  #ask(): Promise<MarketClient['environment']> {
    const { market, time } = this.#options;
    return runWithin(time, longestAskMs, () => market.resolveEnvironment?.());
  }
}
