#!/usr/bin/env node
/** The process around the command: its arguments, its output, and Ctrl-C. */

import { runCommandLine } from './command-line.js';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stopping.abort());
}

// No top-level await: this file is built as CommonJS too.
void runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  stop: stopping.signal,
}).then((code) => {
  process.exitCode = code;
});
