import { Admin } from './admin.js';
import { BoundedLog } from './bounded-log.js';
import { EmulatorClock } from './clock.js';
import { Credentials, type CredentialOptions, type EmulatorCredential } from './credentials.js';
import { Courier, type DeliveryAttempt } from './deliveries/courier.js';
import { Faults } from './faults/faults.js';
import type { ArrivedRequest, Outcome } from './http/exchange.js';
import { answerFetch } from './http/fetch.js';
import { HttpServer } from './http/server.js';
import { Identifiers } from './identifiers.js';
import type { EmulatorEvent } from './market/events.js';
import { Market } from './market/market.js';
import { settingsFrom, type EmulatorOptions, type Settings } from './options.js';
import type { RecordedRequest } from './request-log.js';
import { Service } from './service/service.js';

/** Bodies of up to a megabyte are kept in the log: a bound on their sum, beside that on their number. */
const maxLogBytes = 16 * 1_048_576;

/**
 * The whole service in one process, as the specification describes it: all 26 endpoints over real
 * HTTP on loopback and as a `fetch` function, with verification in the documented order, a clock
 * of its own, and everything that can go wrong at hand. Nothing in it is shared with the client.
 *
 * @example
 * ```ts
 * import { MarketEmulator } from 'market-partner-sdk/testing';
 *
 * const emulator = await MarketEmulator.start();
 * const { keyId, secret } = emulator.createCredential({ scopes: ['search', 'buy'] });
 * console.log(emulator.baseUrl, keyId, secret.length);
 * await emulator.stop();
 * ```
 */
export class MarketEmulator {
  /** The service's clock. */
  readonly clock: EmulatorClock;
  /** What the service's staff do. */
  readonly admin: Admin;
  /** What goes wrong. */
  readonly faults = new Faults();
  readonly #settings: Settings;
  readonly #credentials: Credentials;
  readonly #market: Market;
  readonly #courier: Courier;
  readonly #service: Service;
  readonly #server: HttpServer;
  readonly #requests: BoundedLog<RecordedRequest>;
  readonly #stopping = new AbortController();
  #baseUrl = '';

  /**
   * Starts an emulator. It listens until {@link stop} is called.
   *
   * @throws {TypeError} when an option breaks its rule; it is named
   */
  static async start(options: EmulatorOptions = {}): Promise<MarketEmulator> {
    const emulator = new MarketEmulator(settingsFrom(options));
    await emulator.#listen();
    return emulator;
  }

  private constructor(settings: Settings) {
    const identifiers = new Identifiers(settings.seed);
    this.#settings = settings;
    this.#credentials = new Credentials(identifiers);
    this.#requests = new BoundedLog(settings.logSize, maxLogBytes, ({ body }) => body.length);
    this.clock = new EmulatorClock(settings.clock, () => this.#courier.run());
    this.#courier = new Courier({
      clock: this.clock,
      faults: this.faults.deliveries,
      retriesMs: settings.webhookRetriesMs,
      timeoutMs: settings.webhookTimeoutMs,
      logSize: settings.logSize,
      stopping: this.#stopping.signal,
    });
    this.#market = new Market({
      clock: this.clock,
      identifiers,
      seed: settings.seed,
      inventory: settings.inventory,
      onEvent: (account, event) => this.#courier.dispatch(account, event),
    });
    this.admin = new Admin(this.#market);
    this.#service = new Service({
      market: this.#market,
      credentials: this.#credentials,
      faults: this.faults,
      settings,
      baseUrl: () => this.#baseUrl,
      log: (entry) => {
        this.#requests.add(entry);
        settings.onRequest(entry);
      },
    });
    this.#server = new HttpServer(this.#handle);
  }

  /** Where the service is: scheme, address, port and the path prefix, without a slash at the end. */
  get baseUrl(): string {
    return this.#baseUrl;
  }

  /** What arrived, oldest first; the latest thousand unless `logSize` says otherwise. */
  get requests(): readonly RecordedRequest[] {
    return this.#requests.entries;
  }

  /** Every event that has happened, to any partner, oldest first. */
  get events(): readonly EmulatorEvent[] {
    return this.#market.events;
  }

  /** Attempts to deliver webhooks, oldest first; see {@link idle}. */
  get deliveries(): readonly DeliveryAttempt[] {
    return this.#courier.log.entries;
  }

  /** Gives out a credential (specification, part 2). */
  createCredential(options: CredentialOptions = {}): EmulatorCredential {
    return this.#credentials.issue(options);
  }

  /**
   * The same service as a function, without a socket; it may be handed on alone. Path and query of
   * the request are taken as they are, its host does not matter. A reset is a `TypeError`, as it
   * is with the runtime's own `fetch`.
   *
   * @example
   * ```ts
   * import { http } from 'msw';
   * import { MarketEmulator } from 'market-partner-sdk/testing';
   *
   * const emulator = await MarketEmulator.start();
   * export const handlers = [
   *   http.all('https://market.example/*', ({ request }) =>
   *     emulator.fetch(request).catch(() => Response.error()),
   *   ),
   * ];
   * ```
   */
  readonly fetch = (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const request =
      init === undefined && input instanceof Request ? input : new Request(input, init);
    return answerFetch(request, this.#handle, this.#stopping.signal);
  };

  /**
   * Resolves when every webhook attempt that is due has its answer. Retries that are due later
   * wait for {@link clock} to move.
   */
  idle(): Promise<void> {
    return this.#courier.idle();
  }

  /** Ends every connection and delivery. May be called more than once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#server.close(), this.#courier.stop()]);
  }

  /** For `await using`, where the runtime and the compiler know it: {@link stop}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #listen(): Promise<void> {
    const { host, port, pathPrefix } = this.#settings;
    const address = await this.#server.listen(port, host);
    const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    this.#baseUrl = `http://${name}:${address.port}${pathPrefix}`;
  }

  readonly #handle = (request: ArrivedRequest): Outcome => this.#service.handle(request);
}
