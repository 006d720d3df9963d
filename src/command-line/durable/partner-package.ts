/** `requirePackage`: a package of the partner's project, which this package does not depend on. */

import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { messageOf } from '../terminal.js';

/** @throws {@link Error} that says what to install, and where it was looked for. */
export function requirePackage(cwd: string, name: string): unknown {
  const folder = resolve(cwd);
  const requireFrom = createRequire(`${folder}/`);
  try {
    requireFrom.resolve(name);
  } catch {
    throw new Error(
      `The package ${name} is not installed for ${folder}: run this in the folder of your program, or run npm install ${name} there.`,
    );
  }
  try {
    return requireFrom(name);
  } catch (error) {
    throw new Error(
      `The package ${name} does not load on Node ${process.versions.node}: ${messageOf(error)}`,
    );
  }
}
