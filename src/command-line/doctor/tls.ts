/** `checkTls`: the protocol, the certificate's dates, and whether its chain is trusted. */

import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { describeFailure } from '../../client/errors/describe-failure.js';
import type { Check, Report } from './report.js';

const timeoutMs = 10_000;
const dayMs = 86_400_000;
const soonMs = 14 * dayMs;
const name = 'tls';

interface Handshake {
  readonly protocol: string;
  readonly expiresAt: string | undefined;
  /** Why the certificate is not trusted; `undefined` if it is. */
  readonly problem: Error | undefined;
}

/** @param proxy - the client's option of this name */
export async function checkTls(
  baseUrl: URL,
  proxy: string | undefined,
): Promise<{ check: Check; tls: Report['tls'] }> {
  if (baseUrl.protocol !== 'https:') {
    const detail = 'plain http: right for an emulator alone';
    return { check: { name, result: 'not_checked', detail }, tls: null };
  }
  if (proxy !== undefined) {
    const detail = 'behind a proxy, where the client alone verifies it: see the connection';
    return { check: { name, result: 'not_checked', detail }, tls: null };
  }
  let handshake: Handshake;
  try {
    handshake = await connectTls(baseUrl);
  } catch (error) {
    const { detail, advice } = describeFailure({ kind: 'not_sent', cause: error });
    const check = { name, result: 'failed', detail: `no TLS: ${detail}` } as const;
    return { check: advice === '' ? check : { ...check, advice }, tls: null };
  }
  const { protocol, expiresAt, problem } = handshake;
  const tls = { protocol, isVerified: problem === undefined, expiresAt: expiresAt ?? null };
  return { check: evaluate(handshake), tls };
}

function evaluate({ protocol, expiresAt = 'an unknown date', problem }: Handshake): Check {
  const detail = `${protocol}, certificate valid to ${expiresAt}`;
  if (problem !== undefined) {
    const { detail: why, advice } = describeFailure({ kind: 'not_sent', cause: problem });
    const result = { name, result: 'failed', detail: `${detail}, not trusted: ${why}` } as const;
    return advice === '' ? result : { ...result, advice };
  }
  if (process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const advice =
      'Unset NODE_TLS_REJECT_UNAUTHORIZED: with it, anyone on the network path can read and change requests.';
    return { name, result: 'failed', detail: `${detail}, but verification is turned off`, advice };
  }
  if (Date.parse(expiresAt) - Date.now() < soonMs) {
    const advice =
      'Tell the operator of the server: every call fails when the certificate expires.';
    return { name, result: 'warning', detail: `${detail}: soon`, advice };
  }
  return { name, result: 'ok', detail: `${detail}, chain trusted` };
}

/** Only a handshake: it accepts any certificate and sends nothing. */
function connectTls({ hostname, port }: URL): Promise<Handshake> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port === '' ? 443 : port),
      // A server name must not be an address.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      rejectUnauthorized: false,
    });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no TLS in ${timeoutMs} ms`)));
    socket.on('error', reject);
    socket.on('secureConnect', () => {
      const { valid_to: validTo } = socket.getPeerCertificate() as { valid_to?: string };
      const expiresAt = validTo === undefined ? undefined : new Date(validTo).toISOString();
      const problem = socket.authorized ? undefined : toError(socket.authorizationError);
      resolve({ protocol: socket.getProtocol() ?? 'TLS', expiresAt, problem });
      socket.destroy();
    });
  });
}

/** Node gives a code, though its types promise an error. */
function toError(problem: unknown): Error {
  if (problem instanceof Error) return problem;
  const code = String(problem);
  return Object.assign(new Error(code), { code });
}
