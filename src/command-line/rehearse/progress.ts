/** Progress: how many cases have ended, which play now, and about how long the others take. */

import { formatDuration } from '../../testing/console/format.js';
import type { CaseResult } from './play-case.js';

/** Fewer say nothing of the others: those that play first end last. */
const fewest = 12;

export class Progress {
  readonly #running = new Set<string>();
  readonly #startedAt = performance.now();
  #total = 0;
  #ended = 0;
  /** Without those that were skipped, which take no time. */
  #played = 0;

  plan(total: number): void {
    this.#total = total;
  }

  begin(name: string): void {
    this.#running.add(name);
  }

  end({ name, status }: CaseResult): void {
    this.#running.delete(name);
    this.#ended += 1;
    if (status !== 'skipped') this.#played += 1;
  }

  /** `12/47`. */
  get count(): string {
    return `${String(this.#ended).padStart(String(this.#total).length)}/${this.#total}`;
  }

  /** `12/47 after 40 s, about 2 min left: outage, slow-response`; before, that the program is awaited. */
  get text(): string {
    const ms = performance.now() - this.#startedAt;
    if (this.#total === 0) return `the program has not listened after ${formatDuration(ms)}`;
    const left = (ms / this.#played) * (this.#total - this.#ended);
    const about = this.#played < fewest ? '' : `, about ${formatDuration(left)} left`;
    return `${this.count} after ${formatDuration(ms)}${about}: ${[...this.#running].join(', ')}`;
  }
}
