/** The control API: everything that a program can do with an emulator, over HTTP. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { EmulatorError } from '../emulator-error.js';
import { checkAccess, type AccessRules } from './access.js';
import { ControlError } from './control-error.js';
import { checkFields, readJson } from './fields.js';
import { routes, type ControlTarget, type Route } from './routes.js';
import { EventStream } from './stream.js';

/** Every path under it belongs to the emulator and to no service. */
export const controlRoot = '/_emulator';

const apiRoot = `${controlRoot}/v1`;

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Answers requests under {@link controlRoot}. */
export class Control {
  readonly stream = new EventStream();
  readonly #target: ControlTarget;
  readonly #access: () => AccessRules;

  constructor(target: ControlTarget, access: () => AccessRules) {
    this.#target = target;
    this.#access = access;
  }

  async handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const method = message.method ?? 'GET';
      checkAccess(method, message.headers, this.#access());
      const { pathname, searchParams } = new URL(message.url ?? '/', 'http://emulator');
      if (method === 'GET' && pathname === `${apiRoot}/stream`) {
        this.#openStream(message, response, searchParams);
        return;
      }
      const { route, params } = findRoute(method, pathname);
      const body = checkFields(method === 'POST' ? await readJson(message) : {}, route.fields);
      const lastId = this.stream.lastId;
      const result = await route.run({ target: this.#target, params, query: searchParams, body });
      if (method === 'POST') this.stream.publishChange();
      // A reader of the stream that starts at this id misses nothing since this response.
      sendJson(response, 200, result ?? {}, { 'x-stream-id': lastId });
    } catch (error) {
      sendError(message, response, error);
    }
  }

  #openStream(message: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    const header = message.headers['last-event-id'];
    const lastId = typeof header === 'string' ? header : (query.get('lastEventId') ?? undefined);
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
    if (!this.stream.attach(response, lastId)) response.end('event: full\ndata: {}\n\n');
  }
}

/** Whether the emulator is up; the one path that anybody may ask for, at any Host. */
export function sendHealth(response: ServerResponse): void {
  sendJson(response, 200, { status: 'ok' });
}

function findRoute(
  method: string,
  pathname: string,
): { route: Route; params: Record<string, string> } {
  const path = pathname.startsWith(`${apiRoot}/`) ? pathname.slice(apiRoot.length) : undefined;
  const found = path === undefined ? [] : routes.flatMap((route) => matchRoute(route, path));
  const match = found.find(({ route }) => route.method === method);
  if (match !== undefined) return match;
  if (found.length > 0) {
    const [other] = found;
    throw new ControlError(
      405,
      'wrong_method',
      `${pathname} takes ${other?.route.method ?? ''} only.`,
    );
  }
  throw new ControlError(404, 'not_found', `There is no ${method} ${pathname}.`);
}

function matchRoute(
  route: Route,
  path: string,
): { route: Route; params: Record<string, string> }[] {
  const expected = route.path.split('/');
  const actual = path.split('/');
  if (expected.length !== actual.length) return [];
  const params: Record<string, string> = {};
  for (const [at, segment] of expected.entries()) {
    const value = actual[at] ?? '';
    if (segment.startsWith('{')) params[segment.slice(1, -1)] = decode(value);
    else if (segment !== value) return [];
  }
  return [{ route, params }];
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ControlError(400, 'validation_error', 'The path is not percent-encoded UTF-8.');
  }
}

function sendError(message: IncomingMessage, response: ServerResponse, error: unknown): void {
  // The rest of a body that was not read would be taken for the next request.
  if (!message.complete) response.setHeader('connection', 'close');
  const { status, code, text } = describe(error);
  if (response.headersSent) response.destroy();
  else sendJson(response, status, { code, message: text });
}

function describe(error: unknown): { status: number; code: string; text: string } {
  if (error instanceof ControlError) {
    return { status: error.status, code: error.code, text: error.message };
  }
  if (error instanceof EmulatorError) {
    return {
      status: error.code === 'not_found' ? 404 : 409,
      code: error.code,
      text: error.message,
    };
  }
  // Every function of the emulator throws a TypeError that names the field and the rule.
  if (error instanceof TypeError) {
    return { status: 400, code: 'validation_error', text: error.message };
  }
  return { status: 500, code: 'internal_error', text: String(error) };
}

function sendJson(
  response: ServerResponse,
  status: number,
  content: unknown,
  extra: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify(content);
  response.writeHead(status, {
    ...headers,
    ...extra,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
