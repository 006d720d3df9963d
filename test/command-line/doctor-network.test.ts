import { execFile } from 'node:child_process';
import { createServer } from 'node:https';
import { fault } from 'market-partner-sdk/testing';
import { describe, expect, it } from 'vitest';
import { listenOnPort } from '../support/loopback.js';
import { startProxyServer } from '../support/proxy-server.js';
import { deadAddress } from '../support/raw-server.js';
import { certificateFile, startTlsServer } from '../support/tls-server.js';
import { doctor, service, type Report } from './run-doctor.js';
import { selfSigned } from './self-signed.js';

describe('the command doctor, on the way to the service', () => {
  it('reports an address where nothing listens', async () => {
    const { env } = await service();
    const report = await doctor({ ...env, MARKET_BASE_URL: await deadAddress() });
    expect(report).toMatchObject({ failed: ['connection'], latencyMs: null, clockOffsetMs: null });
    expect(report.check('connection')).toMatchObject({
      detail: expect.stringContaining('ECONNREFUSED') as string,
      advice: expect.stringMatching(/MARKET_BASE_URL, or of the proxy/) as string,
    });
    expect(report.check('credential').result).toBe('not_checked');
  });

  it.each([200, 502])(
    'tells of a page with status %i in the place of the service',
    async (status) => {
      const { emulator, env } = await service();
      emulator.faults.on(() => true, fault.html(status));
      const report = await doctor(env);
      expect(report.failed).toEqual(['connection']);
      expect(report.check('connection').detail).toBe(
        `status ${status} with text/html; charset=utf-8: not this API's response`,
      );
      expect(report.check('connection').advice).toContain('MARKET_BASE_URL');
    },
  );

  it('reports a connection that is cut', async () => {
    const { emulator, env } = await service();
    emulator.faults.on(() => true, fault.resetBeforeWork());
    const report = await doctor(env);
    expect(report.failed).toEqual(['connection']);
    expect(report.check('connection').advice).toContain('gateway or proxy');
  });

  it('says why a certificate is not trusted', async () => {
    const server = createServer(selfSigned, (_request, response) => response.end());
    const port = await listenOnPort(server);
    const { env } = await service();
    const report = await doctor({ ...env, MARKET_BASE_URL: `https://localhost:${port}` });
    expect(report.failed).toEqual(['tls', 'connection']);
    expect(report).toMatchObject({
      tls: {
        protocol: 'TLSv1.3',
        isVerified: false,
        expiresAt: expect.stringMatching(/^21\d\d-/) as string,
      },
    });
    expect(report.check('tls')).toMatchObject({
      detail: expect.stringMatching(
        /^TLSv1\.3, certificate valid to 21.*, not trusted: .*SELF_SIGNED/,
      ) as string,
      advice: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
    });
  });

  it('reports a port that does not speak TLS', async () => {
    const { emulator, env } = await service();
    const report = await doctor({
      ...env,
      MARKET_BASE_URL: emulator.baseUrl.replace('http', 'https'),
    });
    expect(report.failed).toEqual(['tls', 'connection']);
    expect(report.check('tls').advice).toContain('does not speak TLS');
  });

  it('trusts a certificate whose authority is in NODE_EXTRA_CA_CERTS', async () => {
    const { baseUrl } = await startTlsServer();
    const { env } = await service();
    const child = await new Promise<string>((resolve) => {
      const variables = { ...env, MARKET_BASE_URL: baseUrl };
      const extra = { NODE_EXTRA_CA_CERTS: certificateFile('ca.crt') };
      const options = { env: { ...process.env, ...variables, ...extra } };
      // Node reads the variable when it starts.
      execFile(process.execPath, ['dist/bin.cjs', 'doctor', '--json'], options, (_error, stdout) =>
        resolve(stdout),
      );
    });
    const report = JSON.parse(child) as Report;
    expect(report).toMatchObject({ tls: { isVerified: true } });
    expect(report.checks).toContainEqual(
      expect.objectContaining({ name: 'tls', detail: expect.stringMatching(/, chain trusted$/) }),
    );
  });

  it('passes the proxy that it is given, and shows no password of it', async () => {
    const { emulator, env } = await service();
    const proxy = await startProxyServer({ login: 'user:pa55' });
    const withLogin = proxy.url.replace('//', '//user:pa55@');
    const report = await doctor(env, '--proxy', withLogin);
    expect(report).toMatchObject({ ok: true, failed: [] });
    expect(report.check('proxy').detail).toContain('the given proxy is used');
    expect(proxy.tunnels).toContain(new URL(emulator.baseUrl).host);
    const refused = await doctor(env, '--proxy', proxy.url.replace('//', '//user:wr0ng@'));
    expect(refused.failed).toEqual(['connection']);
    expect(refused.check('connection').detail).toContain('407');
    expect(JSON.stringify([report, refused])).not.toMatch(/pa55|wr0ng/);
  });

  it('goes directly to loopback with the proxy of the environment', async () => {
    const { env } = await service();
    const variables = { ...env, HTTPS_PROXY: 'http://127.0.0.1:1' };
    const report = await doctor(variables, '--proxy', 'environment');
    expect(report).toMatchObject({ ok: true, proxyVariables: ['HTTPS_PROXY'] });
    expect(report.check('proxy').result).toBe('ok');
  });
});
