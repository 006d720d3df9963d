/** `ListenerPlaces`: how far the history was read for each set of event types that programs of one name listen for. */

import type { Checkpoint } from '../queue/job.js';

/** A set of types, and how far it was read. */
type Place = NonNullable<Checkpoint['places']>[number];

const mostPlaces = 8;

/**
 * A program stores only events that it has listeners for. Without this, it would move the checkpoint past
 * the events that only another program of its name listens for.
 */
export class ListenerPlaces {
  /** The types that this program listens for; `*` stands for all others. */
  readonly #types: readonly string[];
  readonly #keepMs: number;
  /** Kept in case two programs write at once and the checkpoint has the place of only one. */
  #own: Place | undefined;
  #begunAt = '';

  /** @param keepMs - how long a place is kept for a program that is not running */
  constructor(types: readonly string[], keepMs: number) {
    this.#types = types;
    this.#keepMs = keepMs;
  }

  /** The checkpoint, at the place up to which everything was read that this program listens for. */
  find(stored: Checkpoint | undefined): Checkpoint | undefined {
    if (stored === undefined) return undefined;
    const { places = [] } = stored;
    const isRead = stored.types === undefined || covers(stored.types, this.#types);
    const own = places.find(({ types }) => isSame(types, this.#types)) ?? this.#own;
    // A program that listens for more than another takes up what that one has not read yet.
    const behind = places.filter(({ types }) => covers(this.#types, types));
    const candidates = [isRead ? stored : (own ?? stored), ...behind];
    const { cursor, anchors, horizon, at, overlapReadAt } = candidates.reduce(earlier);
    this.#begunAt = at;
    return { ...stored, cursor, anchors, horizon, at, overlapReadAt };
  }

  /** The checkpoint to write over `stored`, with the places of those whose events it passes. */
  update(next: Checkpoint, stored: Checkpoint | undefined): Checkpoint {
    const types = this.#types;
    const kept: Place[] = [];
    for (const place of [...(stored?.places ?? []), ...(stored ? toPlaces(stored) : [])]) {
      const isRead = covers(types, place.types) && place.at >= this.#begunAt;
      const isOld = Date.parse(place.at) < Date.parse(next.at) - this.#keepMs;
      const isKnown = kept.some((each) => isSame(each.types, place.types));
      if (!isRead && !isOld && !isKnown) kept.push(place);
    }
    [this.#own] = toPlaces({ ...next, types });
    return { ...next, types, places: kept.length === 0 ? undefined : kept.slice(-mostPlaces) };
  }
}

function toPlaces({ types, cursor, anchors, horizon, at, overlapReadAt }: Checkpoint): Place[] {
  return types === undefined ? [] : [{ types, cursor, anchors, horizon, at, overlapReadAt }];
}

function earlier<T extends { readonly at: string }>(a: T, b: T): T {
  return b.at <= a.at ? b : a;
}

function covers(types: readonly string[], others: readonly string[]): boolean {
  return types.includes('*') || others.every((type) => types.includes(type));
}

function isSame(types: readonly string[], others: readonly string[]): boolean {
  return types.join() === others.join();
}
