/** The error of a wrong option of the emulator or of one of its methods. */
export function invalidOption(name: string, rule: string): TypeError {
  return new TypeError(`"${name}" ${rule}`);
}
