/** Sends the console page: static files without any data, under `/_emulator/`. */

import type { ServerResponse } from 'node:http';
import { ControlError } from './control-error.js';

const types: Readonly<Record<string, string>> = {
  '': 'text/html; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** Only files of this address run or load, and no text can become a script. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export function isConsoleFile(name: string): boolean {
  return Object.hasOwn(types, name);
}

/** @throws {@link ControlError} when the source runs without the bundle */
export async function sendConsoleFile(
  name: string,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  // Loaded on the first visit: a program that never opens the page does not pay for it.
  const { consoleFiles } = await import('./console-files.js');
  const text = consoleFiles?.[name];
  if (text === undefined) throw new ControlError(404, 'not_found', 'The console is not built.');
  response.writeHead(200, {
    ...headers,
    'content-security-policy': contentSecurityPolicy,
    'cross-origin-opener-policy': 'same-origin',
    'content-type': types[name] ?? '',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
