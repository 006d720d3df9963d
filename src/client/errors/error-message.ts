/** errorMessage: the message of anything that can be thrown. */

/** What the partner's getters, proxies and callbacks throw may be anything. */
export function errorMessage(thrown: unknown): string {
  try {
    const { message } = Object(thrown) as { message?: unknown };
    return String(message ?? thrown).slice(0, 200);
  } catch {
    return 'a value that has no message';
  }
}
