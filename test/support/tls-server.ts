/** A TLS server on loopback whose certificate a private CA signed. */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { listenOnPort } from './loopback.js';
import { okBody } from './mock-market.js';

/** The file of a certificate or key of the tests: `ca.crt`. */
export function certificateFile(name: string): string {
  return fileURLToPath(new URL(`certificates/${name}`, import.meta.url));
}

export function certificate(name: string): string {
  return readFileSync(certificateFile(name), 'utf8');
}

export interface TlsServer {
  readonly baseUrl: string;
  readonly port: number;
  /** For each request, the name in the client's certificate. */
  readonly clients: readonly string[];
}

/** @param options.requestCert - refuse clients without a certificate of the CA. */
export async function startTlsServer(options: { requestCert?: boolean } = {}): Promise<TlsServer> {
  const clients: string[] = [];
  const server = createServer(
    {
      ...{ key: certificate('server.key'), cert: certificate('server.crt') },
      ...{ ca: certificate('ca.crt'), requestCert: options.requestCert === true },
      rejectUnauthorized: options.requestCert === true,
    },
    (request, response) => {
      const { socket } = request;
      const subject = socket instanceof TLSSocket ? socket.getPeerCertificate().subject : undefined;
      clients.push(String(subject?.CN ?? ''));
      response.end(JSON.stringify(okBody));
    },
  );
  const port = await listenOnPort(server);
  return { baseUrl: `https://127.0.0.1:${port}`, port, clients };
}
