/**
 * Runs a program of the docs against an emulator of its own: the three variables are set, waits
 * take no time, what it prints is kept, and whatever it leaves open is closed.
 */

import * as diagnostics from 'node:diagnostics_channel';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { format } from 'node:util';
import { runInThisContext } from 'node:vm';
import express, { type Express } from 'express';
import * as sdk from 'market-partner-sdk';
import { MarketEmulator } from 'market-partner-sdk/testing';
import * as vitest from 'vitest';
import { vi } from 'vitest';
import { importsOf, runnable } from './compile.js';
import { durableOnSqlite } from './durable-on-sqlite.js';
import type { Program } from './programs.js';
import { sceneOf } from './scenes.js';

/** The address that stands for the service in snippets that spell one out. */
const documentedHost = 'market.example';

/** The port that snippets have their own server listen on. */
const documentedPort = '3000';

/** Lines that the program printed, for each of its parts. */
export type Printed = string[][];

type Cleanup = () => unknown;

export async function runProgram(program: Program): Promise<Printed> {
  const scene = sceneOf(program.places);
  const emulator = await MarketEmulator.start({ ...scene.options });
  const cleanups: Cleanup[] = [() => emulator.stop()];
  try {
    const secret = 'msk_sandbox_of_the_docs';
    const credential = emulator.createCredential({ keyId: 'mk_sandbox_1f0c', secret });
    vi.stubEnv('MARKET_BASE_URL', emulator.baseUrl);
    vi.stubEnv('MARKET_KEY_ID', credential.keyId);
    vi.stubEnv('MARKET_SECRET', secret);
    vi.stubEnv('MARKET_WEBHOOK_SECRET', 'whsec_of_the_docs');
    const servers: http.Server[] = [];
    vi.stubGlobal('fetch', routedFetch(emulator.fetch, servers));
    const Client = quickClient(emulator, cleanups);
    const placeholders = (await scene.prepare?.(emulator, new Client({}))) ?? {};

    const modules = await load(importsOf(program), { Client, servers, cleanups });
    const printed = capture(program.parts.length);
    const text = Object.entries(placeholders).reduce(
      (code, [written, real]) => code.replaceAll(written, real),
      runnable(program),
    );
    const run = runInThisContext(`(async (require, exports, __part) => {${text}\n})`, {
      filename: program.name,
    }) as (
      require: (name: string) => unknown,
      exports: object,
      part: (index: number) => void,
    ) => Promise<void>;
    await run((name) => modules.get(name), {}, printed.startPart);
    for (const test of modules.tests) await test();
    return printed.lines;
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  }
}

/**
 * The documented host is the emulator, and the documented port is the program's server. A program
 * that has none speaks to the reader's, which accepts. Nothing else is let out.
 */
function routedFetch(service: typeof fetch, servers: readonly http.Server[]): typeof fetch {
  const real = fetch;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.hostname === documentedHost) return service(input, init);
    if (url.hostname !== '127.0.0.1') throw new Error(`a snippet asked for ${url.hostname}`);
    if (url.port !== documentedPort) return real(input, init);
    const server = servers.at(-1);
    if (server === undefined) return new Response('OK');
    url.port = String((server.address() as AddressInfo).port);
    return real(url, init);
  };
}

/** The client, but that its waits take no time and that it is closed with the program. */
function quickClient(emulator: MarketEmulator, cleanups: Cleanup[]): typeof sdk.MarketClient {
  return class MarketClient extends sdk.MarketClient {
    constructor(options: sdk.ClientOptions = {}) {
      const documented = options.baseUrl?.startsWith(`https://${documentedHost}`) === true;
      super({
        sleep: () => Promise.resolve(),
        ...(documented ? { fetch: emulator.fetch } : {}),
        ...options,
      });
      cleanups.push(() => this.close());
    }
  };
}

interface Loaded {
  get(name: string): unknown;
  /** The tests that the program declares, when it is a test file. */
  readonly tests: (() => unknown)[];
}

/** Loads what a program imports. A few modules are stood in for: those that leave something open. */
async function load(
  names: readonly string[],
  world: { Client: typeof sdk.MarketClient; servers: http.Server[]; cleanups: Cleanup[] },
): Promise<Loaded> {
  const { Client, servers, cleanups } = world;
  const tests: (() => unknown)[] = [];
  const { durable, nodeSqlite } = durableOnSqlite(cleanups);
  const standIns: Record<string, unknown> = {
    'market-partner-sdk': { ...sdk, MarketClient: Client },
    'market-partner-sdk/durable': durable,
    'node:sqlite': nodeSqlite,
    'node:http': { ...http, createServer: closedServers(servers, cleanups) },
    express: { __esModule: true, default: closedExpress(servers, cleanups) },
    'node:diagnostics_channel': { ...diagnostics, tracingChannel: releasedChannels(cleanups) },
    // The programs that are run do not reach them; they are installed for the engines' tests alone.
    'pg-boss': {},
    bullmq: {},
    vitest: { ...vitest, ...testCollector(tests, cleanups) },
  };
  const modules = new Map<string, unknown>();
  for (const name of names) {
    modules.set(name, standIns[name] ?? (await import(/* @vite-ignore */ name)));
  }
  return { tests, get: (name) => modules.get(name) };
}

/** Servers on any free port of loopback, whatever the snippet asks for. */
function closedServers(servers: http.Server[], cleanups: Cleanup[]) {
  return (listener: http.RequestListener): http.Server => {
    const server = http.createServer(listener);
    servers.push(server);
    const listen = server.listen.bind(server) as (
      port: number,
      host: string,
      done?: () => void,
    ) => http.Server;
    server.listen = ((...args: unknown[]) =>
      listen(
        0,
        '127.0.0.1',
        args.find((arg) => typeof arg === 'function') as () => void,
      )) as typeof server.listen;
    cleanups.push(() => {
      server.closeAllConnections();
      return (server.address() as AddressInfo | null) === null ? undefined : server.close();
    });
    return server;
  };
}

function closedExpress(servers: http.Server[], cleanups: Cleanup[]) {
  return (): Express => {
    const app = express();
    const listen = (...args: Parameters<http.Server['listen']>) =>
      closedServers(servers, cleanups)(app).listen(...args);
    return Object.assign(app, { listen });
  };
}

/** Channels belong to the process: what a snippet subscribed is taken off them again. */
function releasedChannels(cleanups: Cleanup[]): typeof diagnostics.tracingChannel {
  return ((name: string) => {
    const channel = diagnostics.tracingChannel(name);
    const { start } = channel;
    return {
      start: {
        bindStore(...args: Parameters<typeof start.bindStore>) {
          start.bindStore(...args);
          cleanups.push(() => start.unbindStore(args[0]));
        },
      },
      subscribe(subscribers: Parameters<typeof channel.subscribe>[0]) {
        channel.subscribe(subscribers);
        cleanups.push(() => channel.unsubscribe(subscribers));
      },
    };
  }) as unknown as typeof diagnostics.tracingChannel;
}

/** A test file inside of a test: its tests are collected and run one after the other. */
function testCollector(tests: (() => unknown)[], cleanups: Cleanup[]) {
  const each: Cleanup[] = [];
  const test = (_title: string, body: () => unknown) =>
    tests.push(async () => {
      await body();
      for (const after of each) await after();
    });
  return {
    test,
    it: test,
    describe: (_title: string, body: () => void) => body(),
    beforeAll: (body: () => unknown) => tests.unshift(body),
    afterEach: (body: Cleanup) => each.push(body),
    afterAll: (body: Cleanup) => cleanups.push(body),
    onTestFinished: (body: Cleanup) => cleanups.push(body),
  };
}

function capture(parts: number) {
  const lines: Printed = Array.from({ length: parts }, () => []);
  let part = 0;
  const print = (...values: unknown[]) => void lines[part]?.push(...format(...values).split('\n'));
  vi.spyOn(console, 'log').mockImplementation(print);
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation(() => undefined);
  }
  return {
    lines,
    startPart: (index: number) => {
      part = index;
    },
  };
}
