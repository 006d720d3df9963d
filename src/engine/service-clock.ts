/** Time as the service sees it: the machine's clock, and a correction learnt from an answer. */

/** Source of wall-clock time in milliseconds since the Unix epoch. */
export type Clock = () => number;

export class ServiceClock {
  readonly #now: Clock;
  #offsetMs = 0;

  constructor(now: Clock) {
    this.#now = now;
  }

  nowMs(): number {
    return this.#now() + this.#offsetMs;
  }

  /** The value of the timestamp header: whole Unix seconds. */
  timestamp(): string {
    return String(Math.floor(this.nowMs() / 1000));
  }

  /** Sets the clock by an answer's Date; `dateMs` is what {@link answerDateMs} read. */
  correct(dateMs: number): void {
    this.#offsetMs = dateMs - this.#now();
  }
}

/**
 * The moment at which the service answered, from the Date header. A cached answer (one with Age)
 * tells the time of another request, and a date in another form than HTTP's is not guessed at.
 */
export function answerDateMs(headers: Readonly<Record<string, string>>): number | undefined {
  if (headers.age !== undefined) return undefined;
  return parseHttpDate(headers.date);
}

/** The one date format that HTTP senders may write: `Sat, 21 Nov 2026 08:00:00 GMT`. */
export function parseHttpDate(value: string | undefined): number | undefined {
  if (value === undefined || !httpDate.test(value)) return undefined;
  const ms = Date.parse(value);
  // Date.parse reads 31 Feb as 3 Mar: what it read must print as it was written.
  return Number.isNaN(ms) || new Date(ms).toUTCString() !== value ? undefined : ms;
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
