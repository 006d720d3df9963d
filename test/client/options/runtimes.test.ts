/** What depends on the runtime: undici opens no connections in Bun and in Cloudflare Workers. */

import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigurationError, MarketClient } from 'market-partner-sdk';
import { thrownBy } from '../../support/errors.js';
import { credential } from '../../support/mock-market.js';

function stubVersions(versions: object | undefined): void {
  const original = Object.getOwnPropertyDescriptor(process, 'versions')!;
  Object.defineProperty(process, 'versions', { ...original, value: versions });
  onTestFinished(() => {
    Object.defineProperty(process, 'versions', original);
    vi.resetModules();
  });
}

it.each(['http://proxy.example:3128', 'environment'])(
  'in Bun the proxy %s is refused with the way that works there',
  (proxy) => {
    stubVersions({ ...process.versions, bun: '1.3.0' });
    const options = { ...credential, baseUrl: 'https://market.example' };
    const error = thrownBy(() => new MarketClient({ ...options, proxy }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: 'proxy' });
    for (const words of ['Bun', '"fetch"', '{ ...init, proxy: ']) {
      expect(error.message).toContain(words);
    }
    expect(() => new MarketClient({ ...options, fetch })).not.toThrow();
  },
);

describe('in Cloudflare Workers', () => {
  const options = { ...credential, baseUrl: 'https://market.example' };
  const stubWorkers = () => {
    vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' });
    onTestFinished(() => void vi.unstubAllGlobals());
  };

  it('a client without "fetch" is refused with what to pass', () => {
    stubWorkers();
    const error = thrownBy(() => new MarketClient(options));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: 'fetch' });
    expect(error.message).toContain('Cloudflare Workers');
    expect(error.message).toContain('new MarketClient({ fetch })');
    expect(() => new MarketClient({ ...options, fetch })).not.toThrow();
    expect(
      () => new MarketClient({ ...options, dispatcher: { dispatch: () => true } }),
    ).not.toThrow();
  });

  it('"proxy" is refused in favour of "fetch"', () => {
    stubWorkers();
    const error = thrownBy(() => new MarketClient({ ...options, proxy: 'environment' }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ option: 'proxy' });
    expect(error.message).toContain('Pass "fetch" in place of it');
  });
});

it('the package loads, and its calls work, where process.versions is missing', async () => {
  stubVersions(undefined);
  vi.resetModules();
  const { MarketClient: Fresh } = await import('market-partner-sdk');
  const userAgents: unknown[] = [];
  const market = new Fresh({
    ...credential,
    baseUrl: 'https://market.example',
    fetch: (_url, { headers }) => {
      userAgents.push(headers['user-agent']);
      return Promise.resolve(Response.json({ public_id: 'ord_1' }));
    },
  });
  await expect(market.orders.get('ord_1')).resolves.toEqual({ public_id: 'ord_1' });
  expect(userAgents).toEqual([expect.stringMatching(/^market-partner-sdk\/[\d.]+$/)]);
});
