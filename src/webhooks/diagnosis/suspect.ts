/** Something that would have to be different for the signature to match. */
export interface Suspect<Value> {
  /** The value as it may have been when the service signed. */
  readonly value: Value;
  /** What that means and what to do, in whole sentences. Empty for the value as it was given. */
  readonly why: string;
}
