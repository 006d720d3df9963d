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

interface TlsServerOptions {
  /** Refuses clients without a certificate of the CA. */
  readonly requestCert?: boolean;
  /** The only version that the server speaks. */
  readonly tlsVersion?: 'TLSv1.2' | 'TLSv1.3';
}

export async function startTlsServer(options: TlsServerOptions = {}): Promise<TlsServer> {
  const clients: string[] = [];
  const server = createServer(
    {
      key: certificate('server.key'),
      cert: certificate('server.crt'),
      ca: certificate('ca.crt'),
      requestCert: options.requestCert === true,
      rejectUnauthorized: options.requestCert === true,
      ...(options.tlsVersion && { minVersion: options.tlsVersion, maxVersion: options.tlsVersion }),
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
