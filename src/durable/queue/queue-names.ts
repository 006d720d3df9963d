/** `QueueNames`: the names of the queues of an inbox or outbox, no matter which credential it starts with. */

import type { MarketClient } from '../../client/client.js';
import { oneOf, optionCheck } from '../../options.js';
import { DurableStateError } from '../errors.js';
import { invalidOption } from '../options.js';
import { runWithin } from '../../time/timeout.js';
import type { Time } from '../../time/sleep.js';

/** Events of an inbox; orders of an outbox, and their verdicts. */
export type QueueKind = 'events' | 'orders' | 'verdicts';

/** `'any'`: the credential has no environment that is known. */
export type QueueEnvironment = NonNullable<MarketClient['environment']> | 'any';

/** The part of a client that says which environment it is in. */
export type EnvironmentSource = Pick<MarketClient, 'environment'> &
  Partial<Pick<MarketClient, 'resolveEnvironment'>>;

export interface QueueName {
  resolve(): Promise<string>;
  /** @throws {@link DurableStateError} while the environment is not known. */
  resolveNow(): string;
}

/** A queue's name, taken apart. */
export interface QueueParts {
  readonly name: string;
  readonly environment: QueueEnvironment;
  readonly kind: QueueKind;
}

const words = ['sandbox', 'live', 'test', 'any'] as const;

export const environmentCheck = oneOf(...words);

export const nameCheck = optionCheck(
  'must be 1 to 40 letters, digits or hyphens',
  (it) => typeof it === 'string' && /^[A-Za-z0-9-]{1,40}$/.test(it),
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
  /** Passed by the caller. Without it, the first credential decides. */
  readonly environment: QueueEnvironment | undefined;
  readonly time: Time;
}

const longestAskMs = 30_000;

export class QueueNames {
  readonly #options: QueueNamesOptions;
  #environment: QueueEnvironment | undefined;
  #isChecked = false;

  /** @throws {@link DurableConfigurationError} when `environment` is not the credential's. */
  constructor(options: QueueNamesOptions) {
    const { market, environment } = options;
    this.#options = options;
    this.#environment = environment ?? market.environment;
    if (market.resolveEnvironment === undefined) this.#environment ??= 'any';
    this.#compare(market.environment);
  }

  get name(): string {
    return this.#options.name;
  }

  /** The environment that was passed, or that of the first credential. */
  async environment(): Promise<QueueEnvironment> {
    this.#environment ??= (await this.#ask()) ?? 'any';
    return this.#environment;
  }

  of(kind: QueueKind): QueueName {
    const toName = (environment: QueueEnvironment) =>
      queueNameOf({ name: this.#options.name, environment, kind });
    return {
      resolve: async () => toName(await this.environment()),
      resolveNow: () => {
        if (this.#environment !== undefined) return toName(this.#environment);
        throw new DurableStateError(
          'The name of the queue is unknown until "credentials" has returned a credential: await start() first, or set the option "environment".',
        );
      },
    };
  }

  /**
   * Compares the option `environment` with the credential, once one can be had.
   *
   * @throws {@link DurableConfigurationError} when they differ: live sales must not become sandbox orders.
   */
  async check(): Promise<void> {
    if (this.#isChecked || this.#options.environment === undefined) return;
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
    const { environment } = this.#options;
    if (environment === undefined || environment === 'any' || actual === undefined) return;
    if (environment === actual) return;
    throw invalidOption(
      'environment',
      `is "${environment}", and the credential of "market" is of ${actual}`,
    );
  }

  async #ask(): Promise<MarketClient['environment']> {
    const { market, time } = this.#options;
    return runWithin(
      time,
      longestAskMs,
      () => market.resolveEnvironment?.(),
      () =>
        new DurableStateError(
          `"credentials" returned nothing within ${longestAskMs} ms, so the name of the queue is unknown. To start without a credential, set the option "environment".`,
        ),
    );
  }
}
