/** What must hold for every call of a schedule, judged by the service's ledger after its end. */

import { MarketError, type Order } from 'market-partner-sdk';
import type { WireRequest } from '../simulation/exchange.js';
import type { LedgerOrder, OrderService } from './order-service.js';

/** `requote`: a resume with `requote: 'at_most_paid'`. */
export type CallKind = 'create' | 'resume' | 'requote';

/** One call of a caller that lived to see its end. */
export interface EndedCall {
  readonly kind: CallKind;
  readonly key: string;
  readonly result: { readonly value: unknown } | { readonly error: unknown };
  /** What the call sent. */
  readonly sent: readonly WireRequest[];
  readonly endedAtMs: number;
  readonly tookMs: number;
  readonly deadlineMs: number;
  /** Abort listeners that the call left behind. */
  readonly leftListeners: number;
}

/** A broken invariant: its name, and what broke it. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
}

/** @param leftTimers - timers that are open though every call has ended. */
export function violationsOf(
  service: OrderService,
  calls: readonly EndedCall[],
  leftTimers: number,
): Violation[] {
  return [
    ...ledgerViolations(service),
    ...calls.flatMap((call) => callViolations(service, call, calls)),
    ...(leftTimers === 0 ? [] : [violation('a call leaves no timer', String(leftTimers))]),
  ];
}

function ledgerViolations(service: OrderService): Violation[] {
  const found: Violation[] = [];
  const keys = new Set(service.orders.map(({ key }) => key.split('.requote-')[0] ?? key));
  for (const key of keys) {
    const orders = service.ordersOf(key);
    if (orders.length > 1) found.push(violation('a sale has one order', `${key}: ${show(orders)}`));
  }
  for (const [key, bodies] of service.bodiesByKey) {
    // One caller in a schedule may send another body on purpose.
    if (bodies.size > 2) found.push(violation('a repeat sends the same bytes', key));
  }
  return found;
}

function callViolations(
  service: OrderService,
  call: EndedCall,
  calls: readonly EndedCall[],
): Violation[] {
  const found: Violation[] = [];
  const check = (holds: boolean, invariant: string, detail: unknown) => {
    if (!holds) found.push(violation(invariant, `${call.kind} ${call.key}: ${show(detail)}`));
  };
  const nonces = call.sent.map(({ headers }) => headers['x-market-nonce'] ?? '');
  check(new Set(nonces).size === nonces.length, 'each attempt has its own nonce', nonces);
  check(call.tookMs <= call.deadlineMs, 'a call ends within its deadline', call.tookMs);
  check(call.leftListeners === 0, 'a call leaves no abort listener', call.leftListeners);
  if ('error' in call.result) {
    checkError(service, call, call.result.error, nonces, check);
  } else if (call.kind === 'create') {
    checkPlaced(service, call.key, call.result.value, check);
  } else {
    checkResumed(service, call, calls, check);
  }
  return found;
}

type Check = (holds: boolean, invariant: string, detail: unknown) => void;

function checkPlaced(service: OrderService, key: string, value: unknown, check: Check): void {
  const order = value as Order | null;
  const [placed] = service.ordersOf(key);
  check(
    placed !== undefined && order?.public_id === placed.public_id,
    'placed means placed',
    value,
  );
}

function checkError(
  service: OrderService,
  call: EndedCall,
  error: unknown,
  nonces: readonly string[],
  check: Check,
): void {
  check(error instanceof MarketError, 'every error is a MarketError', error);
  if (!(error instanceof MarketError)) return;
  const { outcome, attempts, idempotencyKey, message } = error;
  check(outcome !== undefined, 'every error of a call has an outcome', error);
  check(idempotencyKey === call.key, 'an error names the key of the call', idempotencyKey);
  check((attempts ?? 0) >= nonces.length, 'an error counts its attempts', attempts);
  const own = service.orders.filter(({ nonce }) => nonces.includes(nonce));
  const arrived = nonces.filter((nonce) => service.nonces.has(nonce));
  check(
    outcome !== 'not_sent' || arrived.length === 0,
    'not_sent means that nothing arrived',
    error,
  );
  check(outcome !== 'rejected' || own.length === 0, 'rejected means that it placed nothing', error);
  check(
    !message.includes('No order was placed') || !service.orders.some(({ key }) => key === call.key),
    '"No order was placed" is true of the key',
    message,
  );
  check(
    !message.includes('This call placed no order') || own.length === 0,
    '"This call placed no order" is true of the call',
    message,
  );
}

/** The states of `orders.resume`. */
interface ResumeResult {
  readonly state: 'placed' | 'refused' | 'open' | 'attention';
  readonly order?: Order;
}

function checkResumed(
  service: OrderService,
  call: EndedCall,
  calls: readonly EndedCall[],
  check: Check,
): void {
  const { value } = call.result as { readonly value: unknown };
  const { state, order } = value as ResumeResult;
  check(
    ['placed', 'refused', 'open', 'attention'].includes(state),
    'resume has four states',
    state,
  );
  if (state === 'placed') checkPlaced(service, call.key, order, check);
  if (state === 'refused') {
    const others = calls.filter((other) => other !== call && endsAfterStartOf(other, call));
    check(
      !service.ordersOf(call.key).some((each) => refutes(call, each, others)),
      'refused means that the key has no order',
      value,
    );
  }
}

function endsAfterStartOf(other: EndedCall, { endedAtMs, tookMs }: EndedCall): boolean {
  return other.endedAtMs >= endedAtMs - tookMs;
}

/**
 * A later caller may quote again, and one that lives at the same time may: docs/orders.md
 * allows one job at a time. Its order under a derived key does not make a refusal untrue.
 */
function refutes(
  call: EndedCall,
  { key, nonce, placedAtMs }: LedgerOrder,
  others: readonly EndedCall[],
): boolean {
  if (key === call.key || sends(call, nonce)) return true;
  return placedAtMs <= call.endedAtMs && !others.some((other) => sends(other, nonce));
}

function sends({ sent }: EndedCall, nonce: string): boolean {
  return sent.some(({ headers }) => headers['x-market-nonce'] === nonce);
}

function violation(invariant: string, detail: string): Violation {
  return { invariant, detail };
}

function show(value: unknown): string {
  if (value instanceof Error) {
    const outcome = value instanceof MarketError ? (value.outcome ?? '') : '';
    return `${value.name} ${outcome} ${value.message}`.slice(0, 300);
  }
  return (JSON.stringify(value) as string | undefined)?.slice(0, 300) ?? String(value);
}
