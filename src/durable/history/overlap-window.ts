/** `OverlapWindow`: the latest events of the history, as places to read again from. */

import { parseServiceTime } from '../../core/service-time.js';
import type { Checkpoint } from '../queue/job.js';
import type { PollSettings } from './poll-options.js';

type Anchor = Checkpoint['anchors'][number];

/** The anchor before the first event of the history: no event has this id. */
export const beginning = '';

/** More anchors than this are thinned out: a checkpoint is written with every page. */
const maxAnchors = 100;

export class OverlapWindow {
  readonly #settings: Pick<PollSettings, 'overlapEvents' | 'overlapMs'>;
  #anchors: Anchor[];
  #horizon: string | null;

  constructor(
    settings: Pick<PollSettings, 'overlapEvents' | 'overlapMs'>,
    anchors: readonly Anchor[],
    horizon: string | null,
  ) {
    this.#settings = settings;
    this.#anchors = [...anchors];
    this.#horizon = horizon;
  }

  add({ id, created_at }: Anchor): void {
    this.#anchors.push({ id, created_at });
    if (isLater(created_at, this.#horizon)) this.#horizon = created_at;
  }

  /** The place after the events so far. */
  toPlace(): Pick<Checkpoint, 'cursor' | 'anchors' | 'horizon'> {
    this.trim();
    const last = this.#anchors.at(-1);
    const isAtBeginning = last === undefined || last.id === beginning;
    return {
      cursor: isAtBeginning ? null : last.id,
      anchors: [...this.#anchors],
      horizon: this.#horizon,
    };
  }

  /** Keeps one anchor from before both overlaps, by count and by time, and everything after it. */
  trim(): void {
    const { overlapEvents, overlapMs } = this.#settings;
    const oldestMs =
      this.#horizon === null ? -Infinity : parseServiceTime(this.#horizon) - overlapMs;
    const byCount = this.#anchors.length - 1 - overlapEvents;
    const young = this.#anchors.findIndex(
      ({ created_at }) => parseServiceTime(created_at) >= oldestMs,
    );
    const byTime = (young === -1 ? this.#anchors.length : young) - 1;
    const first = Math.max(0, Math.min(byCount, byTime));
    const kept = this.#anchors.slice(first);
    // Anchors further apart only make the next overlap a little longer.
    const step = Math.ceil(kept.length / maxAnchors);
    const last = kept.length - 1;
    this.#anchors = kept.filter((_, index) => index % step === 0 || index === last);
  }
}

/** A date that cannot be read is later than none. */
function isLater(one: string, other: string | null): boolean {
  return parseServiceTime(one) > (other === null ? -Infinity : parseServiceTime(other));
}
