/** ProgramOutput: the end of what a program printed, without secrets, and which secrets were in it. */

const maxLength = 200_000;

export class ProgramOutput {
  #text = '';
  /** The name of each secret. */
  readonly #secrets = new Map<string, string>();
  readonly #printed = new Set<string>();
  /** A secret may be cut by the pieces in which output arrives. */
  #carried = '';

  /** Looks for this secret from now on. */
  watchFor(name: string, secret: string): void {
    this.#secrets.set(secret, name);
  }

  add(piece: string): void {
    const searched = this.#carried + piece;
    for (const name of this.secretsIn(searched)) this.#printed.add(name);
    const longest = Math.max(1, ...[...this.#secrets.keys()].map(({ length }) => length));
    this.#carried = searched.slice(1 - longest);
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

  tail(lines: number): string {
    return this.text.trimEnd().split('\n').slice(-lines).join('\n');
  }

  mask(text: string): string {
    let masked = text;
    for (const [secret, name] of this.#secrets) masked = masked.replaceAll(secret, `[${name}]`);
    return masked;
  }
}
