/** Blots out what no error may show. It runs when an error is built, not when it is printed. */

/** The text without signatures, and without the given secrets. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let safe = text.replace(/v1=[0-9a-f]{64}/gi, 'v1=[redacted]');
  for (const secret of secrets) {
    if (secret !== '') safe = safe.replaceAll(secret, '[redacted]');
  }
  return safe;
}
