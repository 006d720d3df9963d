/** The emulator was asked for something that cannot be: an illegal move, an id that is not there. */
export class EmulatorError extends Error {
  override readonly name = 'EmulatorError';
}
