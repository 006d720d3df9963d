/** `Trail`: the latest events of the history, as places to read again from. */

import type { Checkpoint } from '../queue/job.js';
import type { PollSettings } from './poll-options.js';

type Anchor = Checkpoint['anchors'][number];

/** More anchors than this are thinned out: a checkpoint is written with every page. */
const maxAnchors = 100;

export class Trail {
  readonly #settings: PollSettings;
  #anchors: Anchor[];
  #horizon: string | null;

  constructor(settings: PollSettings, anchors: readonly Anchor[], horizon: string | null) {
    this.#settings = settings;
    this.#anchors = [...anchors];
    this.#horizon = horizon;
  }

  add({ id, created_at }: Anchor): void {
    this.#anchors.push({ id, created_at });
    if (this.#horizon === null || isLater(created_at, this.#horizon)) this.#horizon = created_at;
  }

  /** The checkpoint after the events so far. */
  checkpoint(now: number, partnerId: string | undefined): Checkpoint {
    this.#trim();
    const at = new Date(now).toISOString();
    const last = this.#anchors.at(-1);
    return {
      // An empty id stands for the beginning of the history.
      cursor: last === undefined || last.id === '' ? null : last.id,
      ...{ anchors: [...this.#anchors], horizon: this.#horizon, at },
      ...(partnerId === undefined ? {} : { partnerId }),
    };
  }

  /** Keeps one anchor that both overlaps lie behind, and what follows it. */
  #trim(): void {
    const { overlapEvents, overlapMs } = this.#settings;
    const oldestMs = this.#horizon === null ? -Infinity : Date.parse(this.#horizon) - overlapMs;
    const byCount = this.#anchors.length - 1 - overlapEvents;
    const young = this.#anchors.findIndex(({ created_at }) => Date.parse(created_at) >= oldestMs);
    const byTime = (young === -1 ? this.#anchors.length : young) - 1;
    const first = Math.max(0, Math.min(byCount, byTime));
    const kept = this.#anchors.slice(first);
    const step = Math.ceil(kept.length / maxAnchors);
    const last = kept.length - 1;
    this.#anchors = kept.filter((_, index) => index % step === 0 || index === last);
  }
}

function isLater(one: string, other: string): boolean {
  return Date.parse(one) > Date.parse(other);
}
