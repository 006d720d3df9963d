/** addCallerFrames: completes the stack of an error that arose before its reader waited for it. */

/**
 * Appends the frames of the functions that wait for the caller of this function. The error of a call that
 * runs ahead of its loop has only the client's frames: nothing waited for it when it was created.
 */
export function addCallerFrames(error: unknown): void {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return;
  const known = error.stack.split('\n');
  const [, , ...here] = (new Error().stack ?? '').split('\n');
  const missing = here.filter((frame) => !known.includes(frame));
  if (missing.length > 0) error.stack = [...known, ...missing].join('\n');
}
