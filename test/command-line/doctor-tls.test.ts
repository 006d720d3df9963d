/** What `doctor` says of TLS on a machine that trusts the service's certificate. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';
import { certificate, startTlsServer } from '../support/tls-server.js';
import { doctor, service } from './run-doctor.js';

const { connect } = tls;

/** Node reads NODE_EXTRA_CA_CERTS only when it starts. */
beforeEach(() => {
  const ca = certificate('ca.crt');
  const trusting = (options: tls.ConnectionOptions, listener?: () => void) =>
    connect({ ...options, ca }, listener);
  tls.connect = trusting as typeof connect;
  syncBuiltinESMExports();
});

afterEach(() => {
  tls.connect = connect;
  syncBuiltinESMExports();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

async function trusted(baseUrl?: string) {
  const { env } = await service();
  const server = await startTlsServer();
  return doctor({ ...env, MARKET_BASE_URL: baseUrl ?? server.baseUrl });
}

describe('the command doctor, with a trusted certificate', () => {
  it('says which protocol, and until when it is valid', async () => {
    const report = await trusted();
    expect(report.check('tls')).toEqual({
      name: 'tls',
      result: 'ok',
      detail: 'TLSv1.3, certificate valid to 2126-10-29T15:18:51.000Z, chain trusted',
    });
    expect(report).toMatchObject({ tls: { isVerified: true, protocol: 'TLSv1.3' } });
  });

  it('warns two weeks before it expires', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2126-10-20T00:00:00Z') });
    expect((await trusted()).check('tls')).toMatchObject({
      result: 'warning',
      detail: expect.stringMatching(/: soon$/) as string,
      advice: expect.stringContaining('Every call fails when the certificate expires') as string,
    });
  });

  it('does not accept that verification is turned off', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const report = await trusted();
    expect(report.check('tls')).toMatchObject({
      result: 'failed',
      detail: expect.stringMatching(/, but verification is turned off$/) as string,
      advice: expect.stringMatching(/^Unset NODE_TLS_REJECT_UNAUTHORIZED/) as string,
    });
  });

  it('asks the port of https where the address has none', async () => {
    const report = await trusted('https://127.0.0.1');
    expect(report.check('tls')).toMatchObject({
      result: 'failed',
      detail: expect.stringMatching(/^no TLS: .*ECONNREFUSED/) as string,
    });
  });

  it('leaves it to the client behind a proxy', async () => {
    const { env } = await service();
    const variables = { ...env, MARKET_BASE_URL: 'https://127.0.0.1:1' };
    const report = await doctor(variables, '--proxy', 'http://127.0.0.1:1');
    expect(report.check('tls')).toMatchObject({
      result: 'not_checked',
      detail: expect.stringMatching(/^behind a proxy/) as string,
    });
  });
});
