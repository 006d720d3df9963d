/** The commands that drive a running emulator: trigger, faults, clock, orders. */

import { faultNames } from '../testing/control/fault-input.js';
import { controlClient, controlUsage, parseControlArgs } from './control-client.js';
import { placeOrder } from './place-order.js';
import { printable, UsageError, type Terminal } from './terminal.js';

const actions = ['hold', 'clear', 'startTransfer', 'completeTransfer', 'refund', 'cancel'] as const;

export const triggerUsage = `market-partner-sdk trigger <type> [options]

Emits an event of any type, such as order.settled, in a running emulator.

  --order <public_id>      the order that the event is about; an invented one unless given
  --data <json>            the whole payload
${controlUsage}`;

export const faultsUsage = `market-partner-sdk faults [list | clear | remove <id>]
market-partner-sdk faults next <fault> [--times <n>]
market-partner-sdk faults on <calls> <fault> [--times <n>]
market-partner-sdk faults deliveries <twice|lost|outOfOrder|late(duration)> [--type <type>] [--times <n>]

Lists, arms and removes the faults of a running emulator. <calls> is 'POST /orders' or a path.
Faults: ${faultNames.join(', ')}; a value in parentheses: 'rateLimited(2)'.

  --times <n>              how often; "all" is until it is removed
  --type <type>            only events of this type
${controlUsage}`;

export const clockUsage = `market-partner-sdk clock [advance <duration> | set <time>]

Shows or moves the clock of a running emulator: advance '11 minutes', set 2030-01-01T00:00:00Z.

${controlUsage}`;

export const ordersUsage = `market-partner-sdk orders [<public_id> [<action>]]
market-partner-sdk orders place [<domain>]
market-partner-sdk orders settle

Lists the orders of a running emulator, shows one, or moves it as the service's staff do. "place"
searches, asks for a quote and places a sample order, with a credential of the emulator.
Actions: ${actions.join(', ')}.

${controlUsage}`;

type Json = Record<string, unknown>;

export async function runTrigger(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseControlArgs(args, {
    order: { type: 'string' },
    data: { type: 'string' },
  });
  const [type, ...more] = positionals;
  if (type === undefined || more.length > 0) throw new UsageError('give one type of event');
  const body = {
    type,
    ...(values.order === undefined ? {} : { order: values.order }),
    ...(values.data === undefined ? {} : { data: parseData(values.data) }),
  };
  const event = (await controlClient(values, terminal).post('/emitEvent', body)) as Json;
  print(terminal, values.json, event, `${String(event.id)} ${String(event.type)}`);
  return 0;
}

export async function runFaults(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseControlArgs(args, {
    times: { type: 'string' },
    type: { type: 'string' },
  });
  const client = controlClient(values, terminal);
  const [action = 'list', ...rest] = positionals;
  const times = timesOf(values.times);
  const type = values.type === undefined ? {} : { type: values.type };
  switch (action) {
    case 'list':
      requireCount(rest, 0);
      break;
    case 'clear':
      requireCount(rest, 0);
      await client.post('/faults/clear');
      break;
    case 'remove':
      requireCount(rest, 1);
      await client.post(`/faults/${encodeURIComponent(rest[0] ?? '')}/remove`);
      break;
    case 'next':
      requireCount(rest, 1);
      await client.post('/faults/next', { fault: rest[0], ...times });
      break;
    case 'on':
      requireCount(rest, 2);
      await client.post('/faults/on', { match: rest[0], fault: rest[1], ...times });
      break;
    case 'deliveries':
      requireCount(rest, 1);
      await client.post('/faults/deliveries/next', {
        fault: deliveryFaultOf(rest[0] ?? ''),
        ...type,
        ...times,
      });
      break;
    default:
      throw new UsageError(`unknown action: ${action}`);
  }
  const armed = (await client.get('/faults')) as Json[];
  const lines = armed.map(
    ({ id, target, match, title, left }) =>
      `${String(id)} ${String(target)} ${String(match)} ${String(title)} left: ${left === null ? 'all' : String(left as number)}`,
  );
  print(terminal, values.json, armed, lines.join('\n') || 'no fault is armed');
  return 0;
}

export async function runClock(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseControlArgs(args, {});
  const client = controlClient(values, terminal);
  const [action, value] = positionals;
  if (positionals.length > 2 || (action !== undefined && value === undefined)) {
    throw new UsageError('give "advance" and a duration, "set" and a time, or nothing');
  }
  let clock: Json;
  if (action === undefined) clock = (await client.get('/clock')) as Json;
  else if (action === 'advance')
    clock = (await client.post('/clock/advance', { duration: value })) as Json;
  else if (action === 'set') clock = (await client.post('/clock/set', { time: value })) as Json;
  else throw new UsageError(`unknown action: ${action}`);
  print(terminal, values.json, clock, String(clock.iso));
  return 0;
}

export async function runOrders(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseControlArgs(args, {});
  const client = controlClient(values, terminal);
  const [id, action, ...more] = positionals;
  if (more.length > 0) throw new UsageError('give an order and one action');
  if (id === 'place') {
    const { public_id } = await placeOrder(client, action);
    const placed = (await client.get(`/orders/${public_id}`)) as Json;
    print(terminal, values.json, placed, orderLine(placed));
    return 0;
  }
  if (id === undefined || id === 'settle') {
    if (id === 'settle') await client.post('/settle');
    const orders = (await client.get('/orders?limit=1000')) as Json[];
    print(terminal, values.json, orders, orders.map(orderLine).join('\n') || 'no orders');
    return 0;
  }
  if (action !== undefined && !actions.some((known) => known === action)) {
    throw new UsageError(`unknown action: ${action}`);
  }
  const path = `/orders/${encodeURIComponent(id)}`;
  const order = (await (action === undefined
    ? client.get(path)
    : client.post(`${path}/${action}`))) as Json;
  print(terminal, values.json, order, orderLine(order));
  return 0;
}

function orderLine(order: Json): string {
  const { public_id, domain, status, sale_price_cents, currency, actions: allowed } = order;
  const next = (allowed as string[]).join(', ');
  return `${String(public_id)} ${String(domain)} ${String(sale_price_cents)} ${String(currency)} ${String(status)} (${next})`;
}

function print({ out }: Terminal, isJson: boolean, value: unknown, text: string): void {
  out(isJson ? `${JSON.stringify(value)}\n` : `${text.split('\n').map(printable).join('\n')}\n`);
}

function requireCount(rest: readonly string[], count: number): void {
  if (rest.length !== count) throw new UsageError('too many or too few arguments');
}

function timesOf(text: string | undefined): { times?: number | null } {
  if (text === undefined) return {};
  if (text === 'all') return { times: null };
  if (!/^[1-9]\d*$/.test(text))
    throw new UsageError('"--times" must be a whole number above zero, or "all"');
  return { times: Number(text) };
}

/** `late(10 minutes)` or the name of a fault. */
function deliveryFaultOf(text: string): unknown {
  const [, late] = /^late\((.+)\)$/.exec(text) ?? [];
  return late === undefined ? text : { late };
}

function parseData(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError('"--data" must be JSON');
  }
}
