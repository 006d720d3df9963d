import { request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { expect, it, onTestFinished, vi } from 'vitest';
import { start } from './control-fixture.js';

async function read(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
) {
  const request = httpRequest({ host: '127.0.0.1', port, method, path, agent: false, headers });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: response.statusCode, headers: response.headers, text };
}

it.each([
  ['', 'text/html; charset=utf-8', '<title>Emulator console</title>'],
  ['console.js', 'text/javascript; charset=utf-8', '/_emulator/v1'],
  ['console.css', 'text/css; charset=utf-8', 'light-dark('],
  ['icon.svg', 'image/svg+xml', '<svg'],
])('the console has the file "%s"', async (name, type, content) => {
  const { port } = await start();
  const { status, headers, text } = await read(port, `/_emulator/${name}`);
  expect([status, headers['content-type']]).toEqual([200, type]);
  expect(text).toContain(content);
  // Nothing of it comes from another address.
  expect(text.replaceAll('http://www.w3.org/', '')).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)/);
});

it('the console allows no script but its own, and no text as a script', async () => {
  const { port } = await start();
  const { headers } = await read(port, '/_emulator/');
  const policy = String(headers['content-security-policy']).split('; ');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).toContain("trusted-types 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy.join()).not.toContain('unsafe');
  expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  expect(headers['access-control-allow-origin']).toBeUndefined();
});

it('the console is found without the slash, and nothing else is', async () => {
  const { port } = await start();
  const found = await read(port, '/_emulator');
  expect([found.status, found.headers.location]).toEqual([308, '/_emulator/']);
  expect((await read(port, '/_emulator/toString')).status).toBe(404);
  expect((await read(port, '/_emulator/console.js/')).status).toBe(404);
});

it('the bare address leads a browser to the console, and nothing else', async () => {
  const { port } = await start();
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const { status, headers } = await read(port, '/', browser);
  expect([status, headers.location, headers.vary]).toEqual([302, '/_emulator/', 'accept']);
  expect((await read(port, '/', { accept: '*/*' })).status).toBe(401);
  expect((await read(port, '/orders', browser)).status).toBe(401);
  const { port: withoutControl } = await start({ control: false });
  expect((await read(withoutControl, '/', browser)).status).toBe(401);
});

it('HEAD, by which tools wait for a page, has the response of GET without its body', async () => {
  const { port } = await start();
  for (const path of ['', 'v1/state', 'v1/openapi.json']) {
    const { status, headers } = await read(port, `/_emulator/${path}`);
    const head = await read(port, `/_emulator/${path}`, {}, 'HEAD');
    expect([head.status, head.text]).toEqual([status, '']);
    expect(head.headers['content-type']).toBe(headers['content-type']);
  }
});

it('the console opens without the token, and the API does not', async () => {
  const { port } = await start({ controlToken: 'a-long-token' });
  expect((await read(port, '/_emulator/')).status).toBe(200);
  expect((await read(port, '/_emulator/v1/state')).status).toBe(401);
});

it.each([
  [421, { host: 'rebound.example' }],
  [403, { 'sec-fetch-site': 'cross-site' }],
  [403, { 'sec-fetch-site': 'same-site' }],
])('the console has status %i for %o', async (status, headers) => {
  const { port } = await start();
  expect((await read(port, '/_emulator/', headers)).status).toBe(status);
});

it('the console of source that runs without its bundle says so', async () => {
  vi.doMock('../../src/testing/control/console-files.js', () => ({ consoleFiles: undefined }));
  onTestFinished(() => {
    vi.doUnmock('../../src/testing/control/console-files.js');
  });
  const { port } = await start();
  const { status, text } = await read(port, '/_emulator/');
  expect([status, text]).toEqual([404, expect.stringContaining('The console is not built.')]);
});

it('the console is not there without control', async () => {
  const { port } = await start({ control: false });
  expect((await read(port, '/_emulator/')).status).not.toBe(200);
});
