/** The control API: everything that a program can do with an emulator, over HTTP; and its page. */

import type { ServerResponse } from 'node:http';
import { percentDecoded } from '../../core/parse-url.js';
import { EmulatorError } from '../service-error.js';
import type { EventBus } from '../event-bus.js';
import { originOf, splitTarget, type BaseUrlFor, type ServerRequest } from '../http/messages.js';
import { check } from '../values.js';
import { checkCall, checkSite, type AccessRules } from './access.js';
import { isConsoleFile, sendConsoleFile } from './console-page.js';
import { ControlError } from './control-error.js';
import { readJson } from './read-json.js';
import type { ControlTarget, Route } from './route.js';
import { routes } from './routes.js';
import { EventStream } from './stream.js';
import { viewRequest } from './views.js';

/** Every path under it belongs to the emulator and to no service. */
const controlRoot = '/_emulator';

const apiRoot = `${controlRoot}/v1`;

const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/**
 * Responds to a request under {@link controlRoot}: whether the emulator is up, which anyone may ask at any
 * Host, and the control API if there is one. The bare address leads a browser to the console.
 *
 * @returns `false` for a request that is the service's
 */
export function handleOwn(
  message: ServerRequest,
  response: ServerResponse,
  control: Control | undefined,
): boolean {
  const { rawPath: path } = splitTarget(message.url);
  if (path === `${controlRoot}/health`) {
    sendJson(response, 200, { status: 'ok' });
    return true;
  }
  const isBrowser = path === '/' && /\btext\/html\b/.test(message.headers.accept ?? '');
  if (isBrowser && control !== undefined) {
    response.writeHead(302, { ...headers, location: `${controlRoot}/`, vary: 'accept' }).end();
    return true;
  }
  if (!`${path}/`.startsWith(`${controlRoot}/`)) return false;
  if (control === undefined) {
    if (!message.complete) response.setHeader('connection', 'close');
    sendJson(response, 404, { code: 'no_control', message: controlIsOff });
    return true;
  }
  void control.handle(message, response);
  return true;
}

const controlIsOff =
  'Control over HTTP is off. It is turned on by MarketEmulator.start({ control: true }), and on the command line by leaving out --no-control, with --control-token if --host is not loopback.';

/** Each route with the expression that its whole path matches. */
const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(`^${apiRoot}${route.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]*)')}$`),
}));

/** Responds to requests under {@link controlRoot}. */
export class Control {
  readonly stream = new EventStream();
  readonly #target: Omit<ControlTarget, 'baseUrl'>;
  readonly #baseUrlFor: BaseUrlFor;
  readonly #access: () => AccessRules;

  constructor(
    { baseUrlFor, ...target }: Omit<ControlTarget, 'baseUrl'> & { readonly baseUrlFor: BaseUrlFor },
    access: () => AccessRules,
    bus: EventBus,
  ) {
    this.#target = target;
    this.#baseUrlFor = baseUrlFor;
    this.#access = access;
    this.#subscribe(bus);
  }

  async handle(message: ServerRequest, response: ServerResponse): Promise<void> {
    try {
      // Node sends no body of a response to HEAD, which tools use to wait for a page.
      const method = message.method === 'HEAD' ? 'GET' : message.method;
      const access = this.#access();
      checkSite(message.headers, access);
      // As sent: a path that "..", encoded or not, leads out of here is not one of these.
      const { rawPath: pathname, rawQuery } = splitTarget(message.url);
      const searchParams = new URLSearchParams(rawQuery);
      if (pathname === controlRoot) {
        response.writeHead(308, { ...headers, location: `${controlRoot}/` }).end();
        return;
      }
      const file = pathname.slice(controlRoot.length + 1);
      // Without the token: the page has no data, and a browser sends none when it opens it.
      if (method === 'GET' && isConsoleFile(file)) {
        await sendConsoleFile(file, response, headers);
        return;
      }
      checkCall(method, message.headers, access);
      if (message.method === 'GET' && pathname === `${apiRoot}/stream`) {
        this.#openStream(message, response, searchParams);
        return;
      }
      if (method === 'GET' && pathname === `${apiRoot}/openapi.json`) {
        // A test holds it against the schemas of the routes. Made of them here, every client would load zod's JSON Schema.
        const { default: document } = await import('../../../docs/openapi.json', {
          with: { type: 'json' },
        });
        sendJson(response, 200, document);
        return;
      }
      const { route, params } = findRoute(method, pathname);
      const given = method === 'POST' ? await readJson(message) : Object.fromEntries(searchParams);
      const fields = check(route.fields, given);
      const lastId = this.stream.lastId;
      const baseUrl = this.#baseUrlFor(originOf(message.headers));
      const result = await route.run({ ...this.#target, baseUrl }, { ...fields, ...params });
      if (method === 'POST') this.stream.publishChange();
      // A reader of the stream that starts at this id misses nothing since this response.
      sendJson(response, 200, result ?? {}, { 'x-stream-id': lastId });
    } catch (error) {
      sendError(message, response, error);
    }
  }

  #subscribe(bus: EventBus): void {
    bus.on('jump', () => this.stream.publishChange());
    // Subscribers reload the whole state.
    bus.on('replace', () => this.stream.publish('gap', {}));
    bus.on('delivery', (attempt) => this.stream.publish('delivery', attempt));
    bus.on('event', (_account, event) => {
      this.stream.publish('event', event);
      this.stream.publishChange();
    });
    bus.on('request', (entry) => {
      this.stream.publish('request', viewRequest(entry));
      // The page behind a tracking link counts a click.
      const isRead = entry.method === 'GET' && entry.verdict !== 'public';
      if (!isRead || entry.faults.length > 0) this.stream.publishChange();
    });
  }

  #openStream(message: ServerRequest, response: ServerResponse, query: URLSearchParams): void {
    const header = message.headers['last-event-id'];
    const lastId = typeof header === 'string' ? header : (query.get('lastEventId') ?? undefined);
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' });
    if (!this.stream.attach(response, lastId)) response.end('event: full\ndata: {}\n\n');
  }
}

function findRoute(
  method: string,
  pathname: string,
): { route: Route; params: Record<string, string> } {
  const found = patterns.flatMap(({ route, pattern }) => {
    const match = pattern.exec(pathname);
    return match === null ? [] : [{ route, groups: match.groups ?? {} }];
  });
  const match = found.find(({ route }) => route.method === method);
  if (match !== undefined) {
    const decoded = Object.entries(match.groups).map(([name, value]) => [name, decode(value)]);
    return { route: match.route, params: Object.fromEntries(decoded) as Record<string, string> };
  }
  for (const { route } of found) {
    throw new ControlError(405, 'wrong_method', `${pathname} takes ${route.method} only.`);
  }
  throw new ControlError(404, 'not_found', `There is no ${method} ${pathname}.`);
}

function decode(segment: string): string {
  const decoded = percentDecoded(segment);
  if (decoded === undefined) throw new TypeError('The path is not percent-encoded UTF-8.');
  return decoded;
}

function sendError(request: ServerRequest, response: ServerResponse, error: unknown): void {
  // The rest of a body that was not read would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  const { status, code, message } = toControlError(error);
  sendJson(response, status, { code, message });
}

function toControlError(error: unknown): ControlError {
  if (error instanceof ControlError) return error;
  if (error instanceof EmulatorError) {
    return new ControlError(error.code === 'not_found' ? 404 : 409, error.code, error.message);
  }
  // Every function of the emulator throws a TypeError that names the field and the rule.
  if (error instanceof TypeError) return new ControlError(400, 'validation_error', error.message);
  return new ControlError(500, 'internal_error', String(error));
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
