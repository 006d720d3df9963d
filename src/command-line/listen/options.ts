/** ListenOptions: the arguments of `listen`. */

/** The checked arguments. */
export interface ListenOptions {
  readonly forwardTo: string;
  readonly secret: string;
  /** Whether the secret is the documented one, which may be shown. */
  readonly isDefaultSecret: boolean;
  readonly isFromBeginning: boolean;
  readonly replay: string | undefined;
  readonly cursorFile: string;
  readonly isLive: boolean;
}
