/**
 * What a text is as a URL; `undefined` if it is none. `URL.canParse` cannot be trusted: once Node 20 has optimised
 * a caller of it, it refuses every text with a letter such as `ü`.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** A part of a URL without its percent-encoding; `undefined` if that is not of UTF-8. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
