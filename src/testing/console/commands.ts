/** What the buttons of the page do. */

import type { ControlClient } from './control-client.js';
import { controlCurl } from './curl.js';
import type { Filter } from './requests.js';
import { placeSampleOrder } from './sample-order.js';
import { variables, type Secrets } from './start.js';
import type { Dispatch, Notice, PageState } from './state.js';
import type { Token } from './token.js';
import type { ListingView } from './wire.js';

export type Commands = ReturnType<typeof createCommands>;

export type Call = readonly [path: string, body?: object];

export interface Surroundings {
  readonly client: ControlClient;
  readonly dispatch: Dispatch;
  readonly token: Pick<Token, 'set' | 'value'>;
  /** Where the page comes from: `http://127.0.0.1:4010`. */
  readonly origin: string;
  /** Rejects if the browser allows no access to the clipboard. */
  readonly writeClipboard: (text: string) => Promise<void>;
  readonly confirm: (question: string) => boolean;
}

const raiseCents = 10_00;

export function createCommands(surroundings: Surroundings) {
  const { client, dispatch, token, origin, writeClipboard, confirm } = surroundings;
  const replace = (values: Partial<PageState>) => dispatch({ kind: 'replace', values });
  const attempt = async (work: () => Promise<Omit<Notice, 'isError'> | undefined>) => {
    try {
      const notice = await work();
      replace({ notice: notice && { ...notice, isError: false } });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      replace({ notice: { text, isError: true } });
    }
  };
  const post = async ([path, body = {}]: Call): Promise<Omit<Notice, 'isError'>> => {
    const { status, iso } = Object(await client.post(path, body)) as {
      status?: string;
      iso?: string;
    };
    const now = status ?? iso;
    const url = `${origin}${client.root}${path}`;
    return {
      text: `Done: POST ${client.root}${path}${now === undefined ? '' : `: now ${now}`}`,
      curl: controlCurl(url, body, token.value !== undefined),
    };
  };
  /** Sends calls of the control API one after another, and shows the last: it can be scripted. */
  const act = (...calls: readonly Call[]) =>
    attempt(async () => {
      let done: Omit<Notice, 'isError'> | undefined;
      for (const call of calls) done = await post(call);
      return done;
    });
  const copy = (text: string | (() => Promise<string>)) =>
    attempt(async () => {
      await writeClipboard(typeof text === 'string' ? text : await text());
      return { text: 'Copied.' };
    });
  const reveal = async (keyId: string) => {
    const path = `/credentials/${encodeURIComponent(keyId)}/revealSecret`;
    return (await client.post(path)) as Secrets;
  };
  return {
    act,
    /** As `act`, for a call that destroys something: asks the user first. */
    actAfterQuestion: async (question: string, call: Call) => {
      if (confirm(question)) await act(call);
    },
    /** Raises the price of a domain, as may happen between a look-up and the order. */
    raisePrice: (domain: string) =>
      attempt(async () => {
        const { content } = await client.get(`/domains/${encodeURIComponent(domain)}`);
        const price_cents = (content as ListingView).price_cents + raiseCents;
        return post(['/reprice', { domain, price_cents }]);
      }),
    placeSampleOrder: (baseUrl: string, keyId: string) =>
      attempt(async () => {
        const { secret } = await reveal(keyId);
        const credential = { keyId, secret };
        const id = await placeSampleOrder(client, new URL(baseUrl).pathname, credential);
        return { text: `Placed ${id}. It is under Orders.` };
      }),
    copy,
    /** Copies the three variables; the secret is read for that. */
    copyVariables: (baseUrl: string, keyId: string) =>
      copy(async () => variables(baseUrl, keyId, await reveal(keyId))),
    /** Shows the secrets of a credential, or hides them again. */
    toggleSecret: (keyId: string, isShown: boolean) =>
      attempt(async () => {
        replace({ secrets: isShown ? await reveal(keyId) : undefined });
        return undefined;
      }),
    chooseCredential: (keyId: string) => replace({ keyId, secrets: undefined }),
    setFilter: (filter: Filter) => replace({ filter }),
    setSearch: (search: string) => replace({ search }),
    setToken: (text: string) => token.set(text),
  };
}
