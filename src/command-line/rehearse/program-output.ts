/** ProgramOutput: the end of what a program printed, without secrets, and which secrets were in it. */

import { shorten } from '../writer.js';

const maxLength = 200_000;

export class ProgramOutput {
  #text = '';
  /** The name of each secret. */
  readonly #secrets = new Map<string, string>();
  readonly #printed = new Set<string>();
  /** A secret may be cut by the pieces in which output arrives. */
  #carried = '';
  #length = 0;
  /** The last line of stderr that is neither a warning nor a part of a stack. */
  #lastError = { text: '', at: 0 };

  /** Looks for this secret from now on. */
  watchFor(name: string, secret: string): void {
    this.#secrets.set(secret, name);
  }

  /** @param isError - whether it was printed as an error, to stderr */
  add(piece: string, isError = false): void {
    const searched = this.#carried + piece;
    for (const name of this.secretsIn(searched)) this.#printed.add(name);
    const longest = Math.max(1, ...[...this.#secrets.keys()].map(({ length }) => length));
    this.#carried = searched.slice(1 - longest);
    this.#length += piece.length;
    if (isError) {
      const lines = piece.split('\n').filter((line) => /^\S/.test(line) && !/warning/i.test(line));
      const text = lines.at(-1);
      if (text !== undefined) this.#lastError = { text, at: this.#length };
    }
    this.#text = (this.#text + piece).slice(-maxLength);
  }

  get printedSecrets(): string[] {
    return [...this.#printed];
  }

  /** The names of the secrets in a text. */
  readonly secretsIn = (text: string): string[] =>
    [...this.#secrets].flatMap(([secret, name]) => (text.includes(secret) ? [name] : []));

  /** The end of the output, with names in place of secrets. */
  get text(): string {
    return this.mask(this.#text);
  }

  /** How much was printed until now. */
  get length(): number {
    return this.#length;
  }

  /** The last line since a length that tells of an error, without secrets. */
  errorSince(length: number): string | undefined {
    const since = this.#text.slice(Math.max(0, this.#text.length - (this.#length - length)));
    const line = since
      .split('\n')
      .findLast((each) => /error|exception|fatal|panic/i.test(each) && !/^\s+at /.test(each));
    const printed = line ?? (this.#lastError.at > length ? this.#lastError.text : undefined);
    return printed === undefined ? undefined : shorten(this.mask(printed.trim()), 300);
  }

  tail(lines: number): string {
    return this.text.trimEnd().split('\n').slice(-lines).join('\n');
  }

  mask(text: string): string {
    let masked = text;
    for (const [secret, name] of this.#secrets) masked = masked.replaceAll(secret, `[${name}]`);
    return masked;
  }
}
