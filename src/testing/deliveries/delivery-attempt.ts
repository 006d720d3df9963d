/** The entries of `emulator.deliveries`. */

/** One attempt to deliver an event. */
export interface DeliveryAttempt {
  /** The event's `id`: the same in every attempt. */
  readonly eventId: string;
  /** The event's type, for example `'order.recorded'`. */
  readonly type: string;
  /** The registered address that it was sent to. */
  readonly url: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The service's clock, in Unix milliseconds. */
  readonly at: number;
  /** The exact bytes that were signed and sent, as text. */
  readonly body: string;
  /** The X-Market-Signature header. */
  readonly signature: string;
  /** The receiver's status; `undefined` if no response came. */
  readonly status: number | undefined;
  /** Why there is no status. */
  readonly error: string | undefined;
  /** The beginning of the receiver's response; `undefined` if none came. */
  readonly responseBody: string | undefined;
  /**
   * `'delivered'` for a 200 within the time limit, `'failed'` for anything else. `'lost'` is the
   * fault of that name: nothing was sent.
   */
  readonly outcome: 'delivered' | 'failed' | 'lost';
}
