/** Token: the control token that the user entered, and the wait for one. */

/** The part of the browser's storage that is used. */
interface TokenStorage {
  readonly getItem: (name: string) => string | null;
  readonly setItem: (name: string, value: string) => void;
}

const storageName = 'control-token';

export class Token {
  readonly #storage: TokenStorage;
  #value: string | undefined;
  #wake: () => void = () => undefined;

  /** @param storage - keeps the token while the tab is open */
  constructor(storage: TokenStorage) {
    this.#storage = storage;
    this.#value = storage.getItem(storageName) ?? undefined;
  }

  get value(): string | undefined {
    return this.#value;
  }

  set(value: string): void {
    this.#value = value;
    this.#storage.setItem(storageName, value);
    this.#wake();
  }

  /** Resolves when another token is set. */
  next(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}
