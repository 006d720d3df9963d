/** `judgeEvents`: what a ledger of handled events says about loss, repeats and order. */

/** What is judged of the inbox. All but `repeated` must be 0. */
export interface EventsReport {
  readonly events: number;
  /** Events that no listener ended. */
  readonly lost: number;
  /** Starts after the done was stored. */
  readonly againAfterDone: number;
  /** Starts of an event before the one before it in its order had ended. */
  readonly outOfOrder: number;
  /** Two listeners of one order at once. */
  readonly overlaps: number;
  /** Events that ended more than once: crashes between the work and its done. Allowed. */
  readonly repeated: number;
}

/**
 * @param lines - `pid word id …`, in the order in which they were written
 * @param history - the ids of each order's events, in their order
 */
export function judgeEvents(
  lines: readonly string[],
  history: ReadonlyMap<string, readonly string[]>,
): EventsReport {
  const before = new Map<string, string>();
  for (const ids of history.values()) {
    for (const [index, id] of ids.entries()) if (index > 0) before.set(id, ids[index - 1] ?? '');
  }
  const ends = new Map<string, number>();
  const done = new Set<string>();
  const running = new Map<string, { readonly pid: string; readonly id: string }>();
  const found = { againAfterDone: 0, outOfOrder: 0, overlaps: 0 };
  for (const [index, line] of lines.entries()) {
    const [pid = '', word, id = '', order = ''] = line.split(' ');
    // A process that is frozen runs no listener: what it had in hand is another's.
    if (word === 'exit' || word === 'freeze') {
      for (const [key, each] of running) if (each.pid === pid) running.delete(key);
    } else if (word === 'start') {
      const previous = before.get(id);
      // Stopped between its look at the lease and this line, which no program can prevent: `commit` is
      // refused. One that stood still before it looked says "late" before it starts.
      const isStale = stoodStill(lines, index, pid);
      if (done.has(id) && !isStale) found.againAfterDone += 1;
      if (previous !== undefined && !ends.has(previous)) found.outOfOrder += 1;
      const other = running.get(order);
      if (isStale) continue;
      if (other !== undefined && !stoodStill(lines, index, other.pid)) found.overlaps += 1;
      running.set(order, { pid, id });
    } else {
      for (const [key, each] of running)
        if (each.id === id && each.pid === pid) running.delete(key);
      if (word === 'end') ends.set(id, (ends.get(id) ?? 0) + 1);
      if (word === 'done') done.add(id);
    }
  }
  const ids = [...history.values()].flat();
  return {
    events: ids.length,
    lost: ids.filter((id) => !ends.has(id)).length,
    ...found,
    repeated: [...ends.values()].filter((count) => count > 1).length,
  };
}

/** Whether the process notes soon after this line that it stood still: its lease had ended, unseen by it. */
function stoodStill(lines: readonly string[], index: number, pid: string): boolean {
  const next = lines.slice(index + 1).filter((line) => line.startsWith(`${pid} `));
  return next.slice(0, 20).includes(`${pid} late`);
}
