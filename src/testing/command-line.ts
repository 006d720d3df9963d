import { parseArgs } from 'node:util';
import { toMilliseconds, type Duration } from './clock.js';
import { scopes, type CredentialOptions, type Scope } from './credentials.js';
import { MarketEmulator } from './emulator.js';
import type { EmulatorOptions } from './options.js';
import type { RecordedRequest } from './request-log.js';
import type { ErrorShape, ListEnvelope } from './service/envelopes.js';

const usage = `market-partner-sdk emulator [options]

Runs a stand-in for the service on this machine until Ctrl-C.

  --port <number>          port to listen on (4010)
  --host <address>         address to listen on (127.0.0.1)
  --path-prefix <path>     a path before all others, as behind a gateway: /gateway
  --seed <number>          another seed gives other domains and other credentials (1)
  --list-envelope <name>   data, items, results, named or array (data)
  --error-shape <name>     flat, nested or labelled (flat)
  --clock-ahead <time>     the service's clock is ahead by so much: '11 minutes'
  --help                   this text
`;

/** A credential for each way of working with the service, and one for everything. */
const scopeSets: readonly { readonly name: string; readonly scopes: readonly Scope[] }[] = [
  { name: 'everything', scopes },
  { name: 'search', scopes: ['search'] },
  { name: 'merchant of record', scopes: ['search', 'buy', 'report', 'webhook'] },
  { name: 'hosted checkout', scopes: ['search', 'embed', 'report', 'webhook'] },
  { name: 'brokerage', scopes: ['broker', 'report', 'webhook'] },
  { name: 'affiliate', scopes: ['refer', 'report'] },
];

/** What the command needs of the process that it runs in. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Fires when the command is to stop. */
  readonly stop: AbortSignal;
}

/**
 * The command `market-partner-sdk emulator`. Resolves with the exit code: 0 after a clean stop, 1
 * when it could not start, 2 for arguments that it does not understand.
 */
export async function runCommandLine(
  args: readonly string[],
  { out, err, stop }: Terminal,
): Promise<number> {
  let command: ReturnType<typeof readArguments>;
  try {
    command = readArguments(args);
  } catch (error) {
    err(`${messageOf(error)}\n\n${usage}`);
    return 2;
  }
  if (command === 'help') {
    out(usage);
    return 0;
  }

  let emulator: MarketEmulator;
  try {
    emulator = await MarketEmulator.start({
      ...command.options,
      onRequest: (request) => out(`${logLine(request)}\n`),
    });
  } catch (error) {
    err(`The emulator could not start: ${messageOf(error)}\n`);
    return error instanceof TypeError ? 2 : 1;
  }
  emulator.clock.advance(command.clockAheadMs);
  out(welcome(emulator));
  await fired(stop);
  await emulator.stop();
  out('Stopped.\n');
  return 0;
}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '4010' },
      host: { type: 'string' },
      'path-prefix': { type: 'string' },
      seed: { type: 'string', default: '1' },
      'list-envelope': { type: 'string' },
      'error-shape': { type: 'string' },
      'clock-ahead': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || positionals[0] === 'help') return 'help';
  if (positionals.length !== 1 || positionals[0] !== 'emulator') {
    throw new TypeError(`unknown command: ${positionals.join(' ') || '(none)'}`);
  }
  const options: EmulatorOptions = {
    port: wholeNumber('--port', values.port),
    seed: wholeNumber('--seed', values.seed),
    ...(values.host === undefined ? {} : { host: values.host }),
    ...(values['path-prefix'] === undefined ? {} : { pathPrefix: values['path-prefix'] }),
    // Checked, by name, where every option is.
    ...(values['list-envelope'] === undefined
      ? {}
      : { listEnvelope: values['list-envelope'] as ListEnvelope }),
    ...(values['error-shape'] === undefined
      ? {}
      : { errorShape: values['error-shape'] as ErrorShape }),
  };
  const ahead = (values['clock-ahead'] ?? 0) as Duration;
  return { options, clockAheadMs: toMilliseconds(ahead, '--clock-ahead') };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new TypeError(`"${name}" must be a whole number; got ${text}`);
  return Number(text);
}

function welcome(emulator: MarketEmulator): string {
  const rows = scopeSets.map((set) => {
    const options: CredentialOptions = { scopes: set.scopes };
    const { keyId, secret } = emulator.createCredential(options);
    return [
      `# ${set.name}: ${set.scopes.join(', ')}`,
      `MARKET_KEY_ID=${keyId}`,
      `MARKET_SECRET=${secret}`,
      '',
    ].join('\n');
  });
  return [
    `The emulator listens. Stop it with Ctrl-C.`,
    '',
    `MARKET_BASE_URL=${emulator.baseUrl}`,
    '',
    ...rows,
    '',
  ].join('\n');
}

/** `10:00:00.000 POST /api/partner/v1/orders 201 accepted`, and why where it was not. */
function logLine(request: RecordedRequest): string {
  const { method, rawPath, query, status, verdict, reason, faults, receivedAt } = request;
  const time = new Date(receivedAt).toISOString().slice(11, 23);
  const target = query === '' ? rawPath : `${rawPath}?${query}`;
  const struck = faults.length > 0 ? ` [${faults.join(', ')}]` : '';
  const why = reason === undefined ? '' : `: ${reason}`;
  const line = `${time} ${method} ${target} ${status ?? 'reset'} ${verdict}${struck}${why}`;
  // One line each, whatever a stranger sends.
  return line.replace(/[^\x20-\x7e\u00a0-\uffff]/g, ' ');
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
