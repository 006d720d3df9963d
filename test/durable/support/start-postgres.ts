/**
 * Starts a PostgreSQL before a run of tests, where DATABASE_URL names none and none listens on
 * 127.0.0.1:5432. Without the engines' packages, or without its binaries, the tests are skipped.
 */

import { findBinaries, startCluster } from './postgres-cluster.mjs';
import { findPackage, isReachable, postgresUrl } from './servers.js';

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.DATABASE_URL !== undefined || (await isReachable(postgresUrl))) return undefined;
  if (findPackage('pg-boss') === undefined || findBinaries() === undefined) return undefined;
  const cluster = await startCluster();
  process.env.DATABASE_URL = cluster.url;
  return cluster.end;
}
