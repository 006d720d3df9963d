/**
 * LinkedList: a queue whose members can leave from any position in constant time. A Map is ordered
 * too, but finding its first entry gets slow: it must skip the entries that were deleted before it.
 */

/** A member stores its neighbors, so it can be in only one list at a time. */
export interface Linked<Member> {
  older: Member | undefined;
  newer: Member | undefined;
}

export class LinkedList<Member extends Linked<Member>> {
  #oldest: Member | undefined;
  #newest: Member | undefined;

  get oldest(): Member | undefined {
    return this.#oldest;
  }

  get newest(): Member | undefined {
    return this.#newest;
  }

  add(member: Member): void {
    member.older = this.#newest;
    if (this.#newest !== undefined) this.#newest.newer = member;
    this.#newest = member;
    this.#oldest ??= member;
  }

  /** @returns whether it was in the list. */
  remove(member: Member): boolean {
    const { older, newer } = member;
    if (older === undefined && this.#oldest !== member) return false;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    member.older = undefined;
    member.newer = undefined;
    return true;
  }
}
