/** errorMessage: the message of anything that can be thrown. */

/** A partner's getters, proxies and callbacks can throw any value. */
export function errorMessage(thrown: unknown): string {
  try {
    const { message } = Object(thrown) as { message?: unknown };
    return String(message ?? thrown).slice(0, 200);
  } catch {
    return 'a value that has no message';
  }
}
