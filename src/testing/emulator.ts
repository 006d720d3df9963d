/** The emulator: wires clock, market, service, deliveries and HTTP server together. */

import { EventEmitter } from 'node:events';
import { Admin, type EmulatorOrder } from './admin.js';
import type { EmulatorClock } from './clock.js';
import { Control, handleOwn } from './control/control.js';
import type { CredentialOptions, EmulatorCredential } from './credentials.js';
import type { DeliveryAttempt } from './deliveries/delivery-attempt.js';
import { EmulatorState } from './emulator-state.js';
import type { EventBus } from './event-bus.js';
import type { Faults } from './faults/faults.js';
import { handleFetch } from './http/fetch.js';
import type { RawRequest, ScheduledResponse } from './http/messages.js';
import { isLoopback } from './http/loopback.js';
import { HttpServer } from './http/server.js';
import type { EmulatorEvent } from './market/events.js';
import { serializeOrder } from './market/orders.js';
import type { EmulatorSnapshot } from './snapshot.js';
import { resolveSettings, type EmulatorOptions, type Settings } from './options.js';
import { createParts, type Parts } from './parts.js';
import type { RecordedRequest } from './request-log.js';

/**
 * The whole service in one process, as the specification describes it: all its endpoints over real
 * HTTP on loopback and as a `fetch` function, with verification in the documented order, a clock
 * of its own and faults on demand. It shares no code with the client.
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
  /** Actions of the service's staff. */
  readonly admin: Admin;
  /** Faults of calls, deliveries and the event history. */
  readonly faults: Faults;
  readonly #settings: Settings;
  readonly #parts: Parts;
  readonly #state: EmulatorState;
  readonly #control: Control | undefined;
  readonly #server: HttpServer;
  readonly #stopping = new AbortController();
  #origin = '';

  /**
   * Starts an emulator. It listens until {@link stop} is called.
   *
   * @throws {@link TypeError} when an option breaks its rule; the message names it
   */
  static async start(options: EmulatorOptions = {}): Promise<MarketEmulator> {
    const emulator = new MarketEmulator(resolveSettings(options));
    await emulator.#listen();
    return emulator;
  }

  private constructor(settings: Settings) {
    this.#settings = settings;
    const bus: EventBus = new EventEmitter();
    const baseUrlFor = this.#baseUrlFor;
    const parts = createParts(settings, { bus, baseUrlFor, stopping: this.#stopping.signal });
    this.clock = parts.clock;
    this.faults = parts.faults;
    this.#parts = parts;
    this.admin = new Admin(
      parts.market,
      (account, event) => parts.deliveryQueue.redeliver(account, event),
      baseUrlFor,
    );
    this.#state = new EmulatorState(parts, () => bus.emit('replace'));
    // Listeners run in this order: an event is on the control's stream before its deliveries are,
    // and a callback of the caller that throws comes after the log of requests.
    bus.on('request', (entry) => parts.requests.add(entry));
    this.#control = settings.control ? this.#createControl(bus) : undefined;
    bus.on('request', settings.onRequest);
    bus.on('delivery', settings.onDelivery);
    bus.on('event', (account, event) => parts.deliveryQueue.dispatch(account, event));
    bus.on('jump', () => parts.deliveryQueue.deliverDue());
    this.#server = new HttpServer(
      this.#handle,
      (message, response) => handleOwn(message, response, this.#control),
      settings.publicUrl,
    );
  }

  /** The service's URL: scheme, address, port and path prefix, without a slash at the end. */
  get baseUrl(): string {
    return `${this.#origin}${this.#settings.pathPrefix}`;
  }

  /** The latest requests, oldest first; 1,000 unless `logSize` says otherwise. */
  get requests(): readonly RecordedRequest[] {
    return this.#parts.requests.entries;
  }

  /** Every event of every partner, oldest first. */
  get events(): readonly EmulatorEvent[] {
    return this.#parts.market.events;
  }

  /** Every order of every partner, oldest first: the service's books. */
  get orders(): readonly EmulatorOrder[] {
    return [...this.#parts.market.orders.values()].map(({ order }) => serializeOrder(order));
  }

  /** Attempts to deliver webhooks, oldest first; see {@link idle}. */
  get deliveries(): readonly DeliveryAttempt[] {
    return this.#parts.deliveryQueue.log.entries;
  }

  /** @internal The body of a delivery of an event. */
  bodyOf(event: EmulatorEvent): string {
    return this.#parts.deliveryQueue.bodyOf(event);
  }

  /** Issues a credential (specification, part 2). */
  createCredential(options: CredentialOptions = {}): EmulatorCredential {
    return this.#parts.credentials.issue(options);
  }

  /**
   * The same service as a function, without a socket. It is bound, so it can be passed on by itself. It uses the
   * path and the query of the request and ignores its host. A reset rejects with a `TypeError`, as
   * the runtime's own `fetch` does.
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
    return handleFetch(request, this.#handle, this.#stopping.signal);
  };

  /** The whole state as plain JSON: accounts, events, credentials with their secrets, the clock. */
  snapshot(): EmulatorSnapshot {
    return this.#state.snapshot();
  }

  /**
   * Puts the state of a snapshot in the place of the present one. Logs are emptied and faults are
   * removed.
   *
   * @throws {@link EmulatorError} when the value is no snapshot; nothing is changed then
   */
  restore(snapshot: EmulatorSnapshot): void {
    this.#state.restore(snapshot);
  }

  /** Back to the state of the start. Credentials stay valid, logs are emptied, faults are removed. */
  reset(): void {
    this.#state.reset();
  }

  /**
   * Resolves when every webhook attempt that is due has ended. Later retries wait for {@link clock}.
   */
  idle(): Promise<void> {
    return this.#parts.deliveryQueue.idle();
  }

  /** Ends every connection and delivery. May be called more than once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#control?.stream.close();
    await Promise.all([this.#server.close(), this.#parts.deliveryQueue.stop()]);
  }

  /** Calls {@link stop}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #listen(): Promise<void> {
    const { host, port } = this.#settings;
    ({ origin: this.#origin } = await this.#server.listen(port, host));
  }

  #createControl(bus: EventBus): Control {
    const { host, controlToken: token, saveState } = this.#settings;
    const access = () => ({ isLoopback: isLoopback(host), token });
    const baseUrlFor = this.#baseUrlFor;
    const own = { admin: this.admin, state: this.#state, baseUrlFor, saveState };
    return new Control({ ...this.#parts, ...own }, access, bus);
  }

  readonly #baseUrlFor = (origin = this.#origin): string => {
    const { publicUrl = origin, pathPrefix } = this.#settings;
    return `${publicUrl}${pathPrefix}`;
  };

  readonly #handle = (request: RawRequest): ScheduledResponse =>
    this.#parts.service.handle(request);
}
