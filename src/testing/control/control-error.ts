/** An error response of the control API. */

/** Status and body of a refused control request: `{ code, message }`. */
export class ControlError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
