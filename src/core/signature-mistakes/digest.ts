/** readDigest: a SHA-256 digest in each form that a signature header may hold. */

/** A SHA-256 digest as a header may hold it. */
interface Digest {
  readonly text: string;
  /** For example `v1=`; empty if there is none. */
  readonly prefix: string;
  readonly form: 'lower case' | 'upper case' | 'base64';
  /** In lower case. */
  readonly hex: string;
}

/** Reads a digest with any prefix, in hexadecimal, base64 or base64url; undefined if it is none. */
export function readDigest(text: string): Digest | undefined {
  const prefix = /^(?:v\d+|sha256|hmac-sha256)[=:]/i.exec(text)?.[0] ?? '';
  const bare = text.slice(prefix.length);
  const known = { text, prefix };
  if (/^[0-9a-f]{64}$/.test(bare)) return { ...known, form: 'lower case', hex: bare };
  if (/^[0-9a-f]{64}$/i.test(bare)) {
    return { ...known, form: 'upper case', hex: bare.toLowerCase() };
  }
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(bare)) return undefined;
  return { ...known, form: 'base64', hex: Buffer.from(bare, 'base64').toString('hex') };
}
