/** Something that would have to be different for the signature to match. */
export interface Candidate<Value> {
  /** The value as it may have been when the service signed. */
  readonly value: Value;
  /** What that means and what to do, in whole sentences; empty for the unchanged value. */
  readonly explanation: string;
}
