/** What the buttons of the page do. */

import type { ControlClient } from './control-client.js';
import { variables } from './start.js';
import type { Dispatch, Filter, PageState } from './state.js';
import type { Token } from './token.js';

export interface Commands {
  /** Sends calls of the control API one after another, and shows the last: it can be scripted. */
  readonly act: (...calls: readonly Call[]) => Promise<void>;
  readonly copy: (text: string) => Promise<void>;
  /** Copies the three variables; the secret is asked for. */
  readonly copyVariables: (baseUrl: string, keyId: string) => Promise<void>;
  /** Shows the secret of a credential, or hides it again. */
  readonly toggleSecret: (keyId: string, isShown: boolean) => Promise<void>;
  readonly setFilter: (filter: Filter) => void;
  readonly setToken: (token: string) => void;
}

export type Call = readonly [path: string, body?: object];

export interface Surroundings {
  readonly client: ControlClient;
  readonly dispatch: Dispatch;
  readonly token: Pick<Token, 'set'>;
  /** Rejects where the browser allows no access to the clipboard. */
  readonly writeClipboard: (text: string) => Promise<void>;
}

export function createCommands(surroundings: Surroundings): Commands {
  const { client, dispatch, token, writeClipboard } = surroundings;
  const replace = (values: Partial<PageState>) => dispatch({ kind: 'replace', values });
  const attempt = async (work: () => Promise<string | undefined>) => {
    try {
      const text = await work();
      replace({ notice: text === undefined ? undefined : { text, isError: false } });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      replace({ notice: { text, isError: true } });
    }
  };
  const copy = (text: string | (() => Promise<string>)) =>
    attempt(async () => {
      await writeClipboard(typeof text === 'string' ? text : await text());
      return 'Copied.';
    });
  const reveal = async (keyId: string) => {
    const path = `/credentials/${keyId}/revealSecret`;
    return ((await client.post(path)) as { secret: string }).secret;
  };
  return {
    act: (...calls) =>
      attempt(async () => {
        for (const [path, body] of calls) await client.post(path, body);
        return `Done: POST ${client.root}${calls.at(-1)?.[0] ?? ''}`;
      }),
    copy,
    copyVariables: (baseUrl, keyId) =>
      copy(async () => variables(baseUrl, keyId, await reveal(keyId))),
    toggleSecret: (keyId, isShown) =>
      attempt(async () => {
        replace({ secret: isShown ? await reveal(keyId) : undefined });
        return undefined;
      }),
    setFilter: (filter) => replace({ filter }),
    setToken: (text) => token.set(text),
  };
}
