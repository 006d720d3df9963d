/** Thrown for a staff action that is not possible: a wrong status, an unknown id. */
export class EmulatorError extends Error {
  override readonly name = 'EmulatorError';
  /** `'not_found'` for an unknown id, `'conflict'` for everything else. */
  readonly code: 'not_found' | 'conflict';

  /** @internal */
  constructor(message: string, code: 'not_found' | 'conflict' = 'conflict') {
    super(message);
    this.code = code;
  }
}
