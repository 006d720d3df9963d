/** The arguments of `market-partner-sdk emulator`: their help text, and their checked form. */

import { parseArgs } from 'node:util';
import { toMilliseconds, type Duration } from '../testing/clock.js';
import type { ErrorShape, ListEnvelope } from '../testing/envelopes.js';
import { isLoopback } from '../testing/http/loopback.js';
import type { EmulatorOptions } from '../testing/options.js';
import { messageOf, UsageError } from './terminal.js';

export const emulatorUsage = `market-partner-sdk emulator [options]

Runs a stand-in for the service on this machine until Ctrl-C.

  --port <number>          port to listen on (4010)
  --host <address>         address to listen on (127.0.0.1)
  --path-prefix <path>     a path before all others, as behind a gateway: /gateway
  --seed <number>          another seed gives other domains and other credentials (1)
  --seed-file <file>       JSON with the listed domains: [{ "domain", "price_cents" }, ...]
  --state <file>           read the state at the start, write it at the end
  --webhook <url=secret>   deliver events to this address, signed with this secret
  --deliver-to <where>     loopback or anywhere (loopback)
  --fault <calls=fault>    a fault from the start: 'POST /orders=resetAfterWork'; with *2 at
                           its end for two calls; may be repeated
  --clock-ahead <time>     the service's clock is ahead by so much: '11 minutes'
  --list-envelope <name>   data, items, results, named or array (data)
  --error-shape <name>     flat, nested or labelled (flat)
  --no-control             no control over HTTP under /_emulator/v1
  --control-token <text>   every control request must carry this token; required for
                           control on an address that is not loopback
  --open                   open the console in the browser
  --env                    print three lines for a .env file, and the log to stderr
  --json                   print one JSON object a line
  --help                   this text
`;

/** @throws {@link UsageError} that names the argument and the rule */
export function readEmulatorArguments(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '4010' },
      host: { type: 'string' },
      'path-prefix': { type: 'string' },
      seed: { type: 'string', default: '1' },
      'seed-file': { type: 'string' },
      state: { type: 'string' },
      webhook: { type: 'string', multiple: true, default: [] },
      'deliver-to': { type: 'string' },
      fault: { type: 'string', multiple: true, default: [] },
      'clock-ahead': { type: 'string' },
      'list-envelope': { type: 'string' },
      'error-shape': { type: 'string' },
      'no-control': { type: 'boolean', default: false },
      'control-token': { type: 'string' },
      open: { type: 'boolean', default: false },
      env: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const token = values['control-token'];
  // Without a token only this machine may have control.
  const canControl = token !== undefined || isLoopback(values.host ?? '127.0.0.1');
  const options: EmulatorOptions = {
    port: wholeNumber('--port', values.port),
    seed: wholeNumber('--seed', values.seed),
    control: canControl && !values['no-control'],
    ...(token === undefined ? {} : { controlToken: token }),
    ...(values.host === undefined ? {} : { host: values.host }),
    ...(values['path-prefix'] === undefined ? {} : { pathPrefix: values['path-prefix'] }),
    // MarketEmulator.start() checks these.
    ...(values['deliver-to'] === undefined
      ? {}
      : { deliverTo: values['deliver-to'] as 'loopback' | 'anywhere' }),
    ...(values['list-envelope'] === undefined
      ? {}
      : { listEnvelope: values['list-envelope'] as ListEnvelope }),
    ...(values['error-shape'] === undefined
      ? {}
      : { errorShape: values['error-shape'] as ErrorShape }),
  };
  return {
    options,
    seedFile: values['seed-file'],
    stateFile: values.state,
    webhooks: values.webhook.map(readWebhook),
    faults: values.fault.map(readFaultOption),
    clockAheadMs: readDuration('--clock-ahead', values['clock-ahead']),
    isOpen: values.open,
    isEnv: values.env,
    isJson: values.json,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`"${name}" must be a whole number; got ${text}`);
  return Number(text);
}

function readDuration(name: string, text: string | undefined): number {
  try {
    return toMilliseconds((text ?? 0) as Duration, name);
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
function readFaultOption(text: string): { match: string; fault: string; times?: number } {
  const [, match, fault, times] = /^([^=]+)=(.+?)(?:\*(\d+))?$/.exec(text) ?? [];
  if (match === undefined || fault === undefined) {
    throw new UsageError(`"--fault" must be like 'POST /orders=resetAfterWork'; got ${text}`);
  }
  return { match, fault, ...(times === undefined ? {} : { times: Number(times) }) };
}
