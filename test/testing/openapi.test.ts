import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openApi } from './control-document.js';
import { start } from './control-fixture.js';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Record<string, { readonly schema: unknown }> };
}
interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
}

const hasPython = (() => {
  try {
    execFileSync('python3', ['--version']);
    return true;
  } catch {
    return false;
  }
})();

const python = new URL('../support/drive_emulator.py', import.meta.url).pathname;

describe('the OpenAPI document of the control API', () => {
  it('has every route, each with a name of its own', async () => {
    const { send } = await start();
    const { json, headers } = await send('GET', '/openapi.json');
    const { openapi, paths } = json as unknown as Document;
    const { routes } = await import('../../src/testing/control/routes.js');
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(openapi).toBe('3.1.1');
    const names = Object.values(paths).flatMap((each) =>
      Object.values(each).map(({ operationId }) => operationId),
    );
    expect(names).toHaveLength(routes.length);
    expect(new Set(names).size).toBe(routes.length);
  });

  it('says of a body what the check says', async () => {
    const { send } = await start();
    const { paths } = (await send('GET', '/openapi.json')).json as unknown as Document;
    const { requestBody } = paths['/_emulator/v1/reprice']!.post!;
    expect(requestBody?.content['application/json']?.schema).toMatchObject({
      additionalProperties: false,
      required: ['domain', 'price_cents'],
      properties: { price_cents: { type: 'integer', minimum: 0 } },
    });
  });

  it('is packed as docs/openapi.json, and says what the routes check', async () => {
    await expect(`${JSON.stringify(openApi())}\n`).toMatchFileSnapshot('../../docs/openapi.json');
  });

  it('needs the token of an emulator that has one', async () => {
    const { send } = await start({ controlToken: 'for-this-test' });
    expect((await send('GET', '/openapi.json')).status).toBe(401);
  });

  it.skipIf(!hasPython && !process.env.CI)(
    "drives the emulator from Python's library",
    async () => {
      const { port, emulator } = await start();
      const { stdout } = await promisify(execFile)('python3', [python, `http://127.0.0.1:${port}`]);
      expect(JSON.parse(stdout)).toEqual({
        price: 270_000,
        armed: ['status 503'],
        refused: expect.stringContaining('"priceCents" is not an option') as string,
        iso: '2026-11-19T10:11:00.000Z',
      });
      expect(emulator.faults.pending).toBe(2);
    },
  );
});
