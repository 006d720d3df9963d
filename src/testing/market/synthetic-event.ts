/** emitSyntheticEvent: emits an event that no order has caused. */

import { optional, text, withDefault } from '../../core/schema/options.js';
import type { Environment } from '../credentials.js';
import { check, environment, record } from '../values.js';
import type { EmulatorEvent } from './events.js';
import { lookUpOrder } from './lookup.js';
import type { Market } from './market.js';
import { serializeEventOrder } from './orders.js';

/** A partner in one of its environments. */
export interface PartnerReference {
  /** The partner; `'prt_1'` unless given. */
  readonly partnerId?: string | undefined;
  /** The environment; `'sandbox'` unless given. */
  readonly environment?: Environment | undefined;
}

/** The payload and the account of an event that `emulator.admin.emitEvent` emits. */
export interface EmitEventOptions extends PartnerReference {
  /** The order that the event is about, by its `public_id`. */
  readonly order?: string | undefined;
  /** The whole payload, in place of an order. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
}

export const partnerFields = () => ({
  partnerId: withDefault(text(), 'prt_1'),
  environment: environment(),
});

export const emittedFields = () => ({
  order: optional(text()),
  data: optional(record()),
  ...partnerFields(),
});

const typeField = () => ({ type: text() });

const sampleOrder = {
  public_id: 'ord_sample',
  domain: 'sample.example',
  status: 'EXTERNALLY_PAID',
  sale_price_cents: 250_000,
  currency: 'USD',
} as const;

/** A state with it could not be written as JSON. */
const maxLevels = 100;

/** Into the history, and to the registered webhook. */
export function emitSyntheticEvent(
  market: Market,
  type: string,
  options: EmitEventOptions,
): EmulatorEvent {
  check(typeField, { type });
  const { order, data, partnerId, environment } = check(emittedFields, options);
  requireShallow(data);
  const found = order === undefined ? undefined : lookUpOrder(market, order);
  const account = found?.account ?? market.account(partnerId, environment);
  const eventOrder = found === undefined ? sampleOrder : serializeEventOrder(found.order);
  return market.emit(account, type, data ?? { order: eventOrder });
}

function requireShallow(value: unknown, level = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (level > maxLevels) {
    throw new TypeError(`"data" must not be nested more than ${maxLevels} levels deep`);
  }
  for (const each of Object.values(value)) requireShallow(each, level + 1);
}
