/** Starts the page: one state, one stream, and a render after a change. */

import { render } from 'preact';
import { createCommands } from './commands.js';
import { createControlClient } from './control-client.js';
import { follow } from './follow.js';
import { createLoader } from './loader.js';
import { fragmentOf } from './route.js';
import { initialState, reduce, type Dispatch } from './state.js';
import { Token } from './token.js';
import { App } from './views/app.js';
import { focusAfterNavigation, focusSearch } from './views/focus.js';
import type { ClockView } from './wire.js';

/** Requests that arrive within this time are drawn together: a thousand a second must not cause a thousand renders. */
const renderMs = 100;

const token = new Token(sessionStorage);
const client = createControlClient('/_emulator/v1', () => token.value);
const sleep = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

let state = initialState(location.hash);
let isDue = false;

const draw = () => {
  isDue = false;
  render(
    <App state={state} commands={commands} hasToken={token.value !== undefined} />,
    document.body,
  );
};

const dispatch: Dispatch = (action) => {
  const { id } = state.route;
  state = reduce(state, action);
  const { tab } = state.route;
  // A search closed the details. A navigation would take the focus away from it.
  if (id !== undefined && state.route.id === undefined && tab !== undefined) {
    history.replaceState(null, '', fragmentOf(tab));
  }
  load(state);
  if (isDue) return;
  isDue = true;
  setTimeout(draw, action.kind === 'requests' ? renderMs : 0);
};

const load = createLoader(client, dispatch);

const commands = createCommands({
  client,
  dispatch,
  token,
  origin: location.origin,
  // Only a page of loopback or of https has a clipboard.
  writeClipboard: async (text) => navigator.clipboard.writeText(text),
  confirm: (question) => confirm(question),
});

addEventListener('hashchange', ({ oldURL }) => {
  state = reduce(state, { kind: 'route', fragment: location.hash });
  load(state);
  draw();
  focusAfterNavigation(new URL(oldURL).hash, location.hash);
});

addEventListener('keydown', focusSearch);

// The emulator's clock may jump or stand still, so the page never counts by its own.
setInterval(() => {
  if (state.connection !== 'connected' || document.visibilityState === 'hidden') return;
  client.get('/clock').then(
    ({ content }) => dispatch({ kind: 'clock', clock: content as ClockView }),
    () => undefined, // the stream shows that the connection is lost
  );
}, 1_000);

draw();
void follow({ client, dispatch, token, signal: new AbortController().signal, sleep });
