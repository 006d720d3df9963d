/** `runAction`: opens the engine, does one thing, and closes it again. */

import { printable, UsageError, type Terminal } from '../terminal.js';
import type { Action } from './action.js';
import type { DurableArguments } from './arguments.js';
import { selectConsumers, queuesOf } from './consumers.js';
import type { EngineRequest, OpenEngine } from './engine-kind.js';
import { engineKindOf } from './engine-urls.js';
import { listDeadLetters } from './list-dead-letters.js';
import { discardEvent, pruneEvents, retryDeadLetter } from './change-jobs.js';
import { readStatus } from './read-status.js';
import { reasonOf } from './reason-of.js';

const actions: Readonly<Record<string, { readonly run: Action; readonly writes: boolean }>> = {
  status: { run: readStatus, writes: false },
  'dead-letters': { run: listDeadLetters, writes: false },
  retry: { run: retryDeadLetter, writes: true },
  discard: { run: discardEvent, writes: true },
  prune: { run: pruneEvents, writes: true },
};

export async function runAction(options: DurableArguments, terminal: Terminal): Promise<number> {
  const { out, cwd = process.cwd() } = terminal;
  const { action, engine: url, schema, isJson } = options;
  const kind = engineKindOf(url);
  if (action === 'ddl') {
    const ddl = kind.ddl({ schema, queues: queuesOf(options) });
    out(isJson ? `${JSON.stringify({ ddl })}\n` : ddl);
    return 0;
  }
  const { run, writes } = actions[action] ?? { run: readStatus, writes: false };
  const { json, lines } = await withEngine({ url, schema, cwd, writes }, async (opened) => {
    const consumers = selectConsumers(await opened.listQueues(), options);
    return run(opened.engine, consumers, options);
  });
  out(isJson ? `${JSON.stringify(json)}\n` : `${lines.map(printable).join('\n')}\n`);
  return 0;
}

/** Opens the engine of the url for `work`, and closes it. */
export async function withEngine<T>(
  request: EngineRequest,
  work: (opened: OpenEngine) => Promise<T>,
): Promise<T> {
  return withoutUrl(request.url, async () => {
    const opened = await engineKindOf(request.url).open(request);
    try {
      return await work(opened);
    } finally {
      await opened.close();
    }
  });
}

/** An error of a driver may quote the url, which may hold a password. */
async function withoutUrl<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const hidden = [url, ...passwordsOf(url)].filter((text) => text !== '');
    const reason = reasonOf(error);
    throw new Error(hidden.reduce((text, each) => text.replaceAll(each, '[hidden]'), reason));
  }
}

/** As the url has it, and as the server gets it. */
function passwordsOf(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { password } = new URL(url);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
