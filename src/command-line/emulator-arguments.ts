/** The arguments of `market-partner-sdk emulator`: their help text, and their checked form. */

import { parseArgs } from 'node:util';
import { toMilliseconds, type Duration } from '../testing/clock.js';
import { readFaults } from '../testing/control/fault-input.js';
import type { ErrorShape, ListEnvelope } from '../testing/envelopes.js';
import type { Fault } from '../testing/faults/fault.js';
import { createMatcher } from '../testing/faults/match.js';
import { isLoopback } from '../testing/http/loopback.js';
import type { EmulatorOptions } from '../testing/options.js';
import { messageOf, UsageError } from './terminal.js';

export const emulatorUsage = `market-partner-sdk emulator [options]

Runs a stand-in for the service on this machine until Ctrl-C.

  --port <number>          port to listen on (4010)
  --host <address>         address to listen on (127.0.0.1)
  --path-prefix <path>     a path before all others, as behind a gateway: /gateway
  --open                   open the console in the browser
  --env                    print a .env file, and the log to stderr
  --all                    print a credential for each kind of partner
  --json                   print one JSON object a line
  --state <file>           read the state at the start, write it at the end
  --webhook <url=secret>   deliver events to this address, signed with this secret
  --fault <calls=fault>    a fault from the start: 'POST /orders=resetAfterWork*2'; may be repeated
  --seed <number>          other domains and credentials (1); orders and events then have the same
                           ids at each start
  --seed-file <file>       JSON with the listed domains: [{ "domain", "price_cents" }, ...]
  --clock-ahead <time>     how far the service's clock is ahead: '11 minutes'
  --list-envelope <name>   data, items, results, named or array (data)
  --error-shape <name>     flat, nested or labelled (flat)
  --deliver-to <where>     loopback or anywhere (loopback)
  --control-token <text>   every control request must carry this token; required for control on an
                           address that is not loopback
  --no-control             no control over HTTP under /_emulator/v1

Example: market-partner-sdk emulator --open
`;

export type EmulatorArguments = ReturnType<typeof readEmulatorArguments>;

/** A fault that is armed from the start. */
interface StartFault {
  /** `'next'`, or the calls that it applies to. */
  readonly match: string;
  readonly faults: readonly Fault[];
  readonly times?: number;
}

/** @throws {@link UsageError} that names the argument and the rule */
export function readEmulatorArguments(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '4010' },
      host: { type: 'string', default: '127.0.0.1' },
      'path-prefix': { type: 'string', default: '' },
      seed: { type: 'string' },
      'seed-file': { type: 'string' },
      state: { type: 'string' },
      webhook: { type: 'string', multiple: true, default: [] },
      'deliver-to': { type: 'string', default: 'loopback' },
      fault: { type: 'string', multiple: true, default: [] },
      'clock-ahead': { type: 'string', default: '0 seconds' },
      'list-envelope': { type: 'string', default: 'data' },
      'error-shape': { type: 'string', default: 'flat' },
      'no-control': { type: 'boolean', default: false },
      'control-token': { type: 'string' },
      open: { type: 'boolean', default: false },
      env: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const token = values['control-token'];
  // Without a token only this machine may have control.
  const canControl = token !== undefined || isLoopback(values.host);
  const options: EmulatorOptions = {
    port: wholeNumber('--port', values.port),
    host: values.host,
    pathPrefix: values['path-prefix'],
    control: canControl && !values['no-control'],
    // MarketEmulator.start() checks these.
    deliverTo: values['deliver-to'] as 'loopback' | 'anywhere',
    listEnvelope: values['list-envelope'] as ListEnvelope,
    errorShape: values['error-shape'] as ErrorShape,
    ...(token === undefined ? {} : { controlToken: token }),
    ...(values.seed === undefined ? {} : { seed: wholeNumber('--seed', values.seed) }),
  };
  return {
    options,
    seedFile: values['seed-file'],
    stateFile: values.state,
    webhooks: values.webhook.map(readWebhook),
    faults: values.fault.map(readFaultOption),
    clockAheadMs: readDuration('--clock-ahead', values['clock-ahead']),
    isControlOff: values['no-control'],
    isOpen: values.open,
    isEnv: values.env,
    isAll: values.all,
    isJson: values.json,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`"${name}" must be a whole number; got ${text}`);
  return Number(text);
}

function readDuration(name: string, text: string): number {
  try {
    return toMilliseconds(text as Duration, name);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function readWebhook(text: string): { url: string; secret: string } {
  const at = text.lastIndexOf('=');
  const [url, secret] = [text.slice(0, at), text.slice(at + 1)];
  if (at === -1 || secret === '' || !/^https?:\/\//.test(url)) {
    throw new UsageError('"--webhook" must be an address, "=" and a secret without "="');
  }
  return { url, secret };
}

/** `POST /orders=resetAfterWork*2`: which calls, which fault, how often. */
function readFaultOption(text: string): StartFault {
  const [, match, fault, times] = /^([^=]+)=(.+?)(?:\*(\d+))?$/.exec(text) ?? [];
  if (match === undefined || fault === undefined) {
    throw new UsageError(`"--fault" must be like 'POST /orders=resetAfterWork'; got ${text}`);
  }
  try {
    // Here, and not when it is armed: nothing listens yet.
    if (match !== 'next') createMatcher(match);
    const faults = readFaults(fault);
    if (times === undefined) return { match, faults };
    if (Number(times) === 0) throw new UsageError('it must apply once or more');
    return { match, faults, times: Number(times) };
  } catch (error) {
    throw new UsageError(`"--fault" ${text}: ${messageOf(error)}`);
  }
}
