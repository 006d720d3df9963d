/** The servers and client packages that the adapters are tested with; absent ones are skipped by name. */

import { createRequire } from 'node:module';
import { connect } from 'node:net';

const require = createRequire(new URL('../servers/package.json', import.meta.url));

/** A package that `npm run test:engines` installed; `undefined` where it is not. */
export function findPackage(name: string): unknown {
  try {
    return require(name);
  } catch {
    return undefined;
  }
}

export const postgresUrl = new URL(
  process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/test',
);

export const redisUrl = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');

export const mysqlUrl = new URL(process.env.MYSQL_URL ?? 'mysql://root@127.0.0.1:3306/test');

const defaultPorts: Readonly<Record<string, number>> = { 'redis:': 6379, 'mysql:': 3306 };

export function addressOf(url: URL): { host: string; port: number } {
  const defaultPort = defaultPorts[url.protocol] ?? 5432;
  return { host: url.hostname, port: Number(url.port === '' ? defaultPort : url.port) };
}

/** Whether something listens there. */
export function isReachable(url: URL): Promise<boolean> {
  const { host, port } = addressOf(url);
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 500 });
    const end = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.on('connect', () => end(true));
    socket.on('error', () => end(false));
    socket.on('timeout', () => end(false));
  });
}

/** The reason for a skip; `undefined` where the tests run. With CI set, a skip is a failure. */
export function skipReason(missing: Readonly<Record<string, boolean>>): string | undefined {
  const reasons = Object.entries(missing).flatMap(([what, isMissing]) => (isMissing ? [what] : []));
  if (reasons.length === 0) return undefined;
  const reason = `skipped: no ${reasons.join(', no ')}`;
  if (process.env.CI) throw new Error(`CI must test every engine; ${reason}.`);
  return reason;
}
