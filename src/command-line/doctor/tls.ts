/** `checkTls`: the protocol, the certificate's dates, and whether its chain is trusted. */

import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { describeFailure } from '../../client/errors/describe-failure.js';
import { check, notChecked, type Check, type Report } from './report.js';

const timeoutMs = 10_000;
/** Two weeks. */
const soonMs = 14 * 86_400_000;

interface Handshake {
  readonly protocol: string;
  readonly expiresAt: string | null;
  /** Why the certificate is not trusted; `undefined` if it is. */
  readonly problem: Error | undefined;
}

/** @param proxy - the client's option of this name */
export async function checkTls(
  baseUrl: URL,
  proxy: string | undefined,
): Promise<{ check: Check; tls: Report['tls'] }> {
  if (baseUrl.protocol !== 'https:') {
    return {
      check: notChecked('tls', 'plain http, right only for an emulator'),
      tls: null,
    };
  }
  if (proxy !== undefined) {
    const detail = 'behind a proxy, where only the client verifies it (see the connection)';
    return { check: notChecked('tls', detail), tls: null };
  }
  let handshake: Handshake;
  try {
    handshake = await connectTls(baseUrl);
  } catch (error) {
    const { detail, advice } = describeFailure({ kind: 'not_sent', cause: error });
    return { check: check('tls', 'failed', `no TLS: ${detail}`, advice), tls: null };
  }
  const { protocol, expiresAt, problem } = handshake;
  const tls = { protocol, isVerified: problem === undefined, expiresAt };
  return { check: evaluate(handshake), tls };
}

function evaluate({ protocol, expiresAt, problem }: Handshake): Check {
  const detail = `${protocol}, certificate valid to ${expiresAt ?? 'an unknown date'}`;
  if (problem !== undefined) {
    const { detail: why, advice } = describeFailure({ kind: 'not_sent', cause: problem });
    return check('tls', 'failed', `${detail}, not trusted: ${why}`, advice);
  }
  if (process.env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    const advice =
      'Unset NODE_TLS_REJECT_UNAUTHORIZED. With it, anyone on the network path can read and change requests.';
    return check('tls', 'failed', `${detail}, but verification is turned off`, advice);
  }
  if (expiresAt !== null && Date.parse(expiresAt) - Date.now() < soonMs) {
    const advice =
      'Tell the people who run the server. Every call fails when the certificate expires.';
    return check('tls', 'warning', `${detail}: soon`, advice);
  }
  return check('tls', 'ok', `${detail}, chain trusted`);
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
    socket.setTimeout(timeoutMs, () =>
      socket.destroy(new Error(`no handshake in ${timeoutMs / 1_000} s`)),
    );
    socket.on('error', reject);
    socket.on('secureConnect', () => {
      const { valid_to: validTo } = socket.getPeerCertificate() as { valid_to?: string };
      const expiresAt = validTo === undefined ? null : new Date(validTo).toISOString();
      // Node gives a code, though its types promise an error.
      const code = String(socket.authorizationError);
      const problem = socket.authorized ? undefined : Object.assign(new Error(code), { code });
      resolve({ protocol: String(socket.getProtocol()), expiresAt, problem });
      socket.destroy();
    });
  });
}
