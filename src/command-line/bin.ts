#!/usr/bin/env node
/** The process around the command: its arguments, its output, and Ctrl-C. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import { runCommandLine } from './main.js';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => stopping.abort());
}

let isOutputLost = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // `… | head` has read all that it wants.
    if (code === 'EPIPE' || isOutputLost) return;
    isOutputLost = true;
    process.exitCode = 1;
    if (stream === process.stdout) process.stderr.write(`The output is lost: ${message}\n`);
  });
}

const openers: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(question, { signal: stopping.signal })).trim());
  } finally {
    lines.close();
  }
}

// No top-level await: this file is built as CommonJS too.
void runCommandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  stop: stopping.signal,
  env: process.env,
  columns: process.stdout.columns,
  isInteractive: process.stderr.isTTY,
  confirm: process.stdin.isTTY ? confirm : undefined,
  openUrl(url) {
    const [command, ...args] = openers[process.platform] ?? ['xdg-open'];
    return new Promise((resolve) => {
      // A browser that was not open before may run as long as its user likes: then nothing is reported.
      const opener = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
      opener.once('error', () => resolve(false));
      opener.once('exit', (code) => resolve(code === 0));
      opener.unref();
    });
  },
}).then((code) => {
  process.exitCode = isOutputLost ? 1 : code;
});
