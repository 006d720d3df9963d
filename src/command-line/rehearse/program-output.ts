/** ProgramOutput: the end of what a program printed, without secrets, and which secrets were in it. */

const maxLength = 200_000;

export class ProgramOutput {
  #text = '';
  /** Each secret by its name. */
  readonly #secrets = new Map<string, string>();
  readonly #printed = new Set<string>();
  /** A secret may be cut by the pieces in which output arrives. */
  #carried = '';

  /** Looks for this secret from now on. */
  watchFor(name: string, secret: string): void {
    this.#secrets.set(`${name} ${this.#secrets.size + 1}`, secret);
  }

  add(piece: string): void {
    const searched = this.#carried + piece;
    for (const [name, secret] of this.#secrets) {
      if (searched.includes(secret)) this.#printed.add(name.replace(/ \d+$/, ''));
    }
    const longest = Math.max(1, ...[...this.#secrets.values()].map(({ length }) => length));
    this.#carried = searched.slice(1 - longest);
    this.#text = (this.#text + piece).slice(-maxLength);
  }

  get printedSecrets(): string[] {
    return [...this.#printed];
  }

  /** The end of the output, each secret by its name. */
  get text(): string {
    return this.mask(this.#text);
  }

  tail(lines: number): string {
    return this.text.trimEnd().split('\n').slice(-lines).join('\n');
  }

  mask(text: string): string {
    let masked = text;
    for (const [name, secret] of this.#secrets) {
      masked = masked.replaceAll(secret, `[${name.replace(/ \d+$/, '')}]`);
    }
    return masked;
  }
}
