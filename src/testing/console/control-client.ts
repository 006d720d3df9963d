/** Calls of the control API from the page. */

import { readEntries, type StreamEntry } from './stream-reader.js';

/** An error response of the control API, or a response of something else. */
export class CallError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ControlClient {
  readonly root: string;
  readonly get: (path: string) => Promise<{ content: unknown; streamId: string }>;
  readonly post: (path: string, body?: object) => Promise<unknown>;
  /**
   * What happens after an entry of the stream, as it happens; nothing once it is open. Read by
   * `fetch`: the browser's EventSource sends no header, so it cannot send the token.
   */
  readonly stream: (lastId: string, signal: AbortSignal) => AsyncGenerator<StreamEntry[]>;
}

/**
 * @param root - the address of the API: `/_emulator/v1`
 * @param token - the control token, if there is one
 */
export function createControlClient(root: string, token: () => string | undefined): ControlClient {
  const call = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const authorization = token();
    const response = await fetch(`${root}${path}`, {
      ...init,
      headers: {
        ...(authorization === undefined ? {} : { authorization: `Bearer ${authorization}` }),
        ...(init.method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
    });
    if (response.ok) return response;
    throw new CallError(response.status, messageOf(await response.text(), response.status));
  };
  return {
    root,
    async get(path) {
      const response = await call(path);
      return {
        content: (await response.json()) as unknown,
        streamId: response.headers.get('x-stream-id') ?? '',
      };
    },
    async post(path, body = {}) {
      const response = await call(path, { method: 'POST', body: JSON.stringify(body) });
      return (await response.json()) as unknown;
    },
    async *stream(lastId, signal) {
      // The response is referenced here: once it is garbage-collected, Node cancels a body without a reader.
      const response = await call(`/stream?lastEventId=${lastId}`, { signal });
      yield [];
      if (response.body !== null) yield* readEntries(response.body);
    },
  };
}

function messageOf(text: string, status: number): string {
  try {
    return (JSON.parse(text) as { message: string }).message;
  } catch {
    return `The emulator responded with status ${status}.`;
  }
}
