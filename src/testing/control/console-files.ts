/** The files of the console page; the build and the tests put the bundle of src/testing/console here. */

/** Text by name under `/_emulator/`; `undefined` if the source runs without a bundle. */
export const consoleFiles: Readonly<Record<string, string>> | undefined = undefined;
