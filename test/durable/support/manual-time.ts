/** Time that passes only when a test advances it. A sleep ends then, or when its signal fires. */

interface Sleeper {
  readonly dueAt: number;
  readonly end: () => void;
}

export class ManualTime {
  nowMs: number;
  readonly #sleepers = new Set<Sleeper>();

  readonly options = {
    clock: () => this.nowMs,
    sleep: (ms: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const sleeper = {
          dueAt: this.nowMs + ms,
          end: () => {
            this.#sleepers.delete(sleeper);
            signal.removeEventListener('abort', sleeper.end);
            resolve();
          },
        };
        this.#sleepers.add(sleeper);
        signal.addEventListener('abort', sleeper.end);
        if (signal.aborted || ms <= 0) sleeper.end();
      }),
  };

  constructor(startMs = Date.parse('2026-03-01T12:00:00Z')) {
    this.nowMs = startMs;
  }

  /** How many sleeps have not ended. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Lets sleeps end in their order, and what waits for them go on. */
  async advance(ms: number): Promise<void> {
    const until = this.nowMs + ms;
    for (;;) {
      await settle();
      const due = [...this.#sleepers].filter(({ dueAt }) => dueAt <= until);
      const next = due.sort((a, b) => a.dueAt - b.dueAt).at(0);
      if (next === undefined) break;
      this.nowMs = Math.max(this.nowMs, next.dueAt);
      next.end();
    }
    this.nowMs = until;
    await settle();
  }
}

/** Lets everything that is not asleep come to rest. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 25; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
