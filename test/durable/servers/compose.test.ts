import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { MarketClient } from 'market-partner-sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../support/free-port.mjs';
import { startProgram } from '../../support/program.js';
import { pg, pgBoss } from '../support/pg-boss-under-test.js';
import { findPackage, isReachable, postgresUrl, skipReason } from '../support/servers.js';

interface Service {
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly deploy: { readonly replicas: number };
}

const folder = 'examples/durable/compose';
const yaml = findPackage('yaml') as { parse(text: string): unknown } | undefined;

const skipped = skipReason({
  'pg-boss or yaml (npm run test:engines installs them)':
    pg === undefined || pgBoss === undefined || yaml === undefined,
  'PostgreSQL at DATABASE_URL': !(await isReachable(postgresUrl)),
});

/** The processes of the file, on loopback and without containers. */
async function startServices() {
  const file = yaml!.parse(readFileSync(`${folder}/compose.yaml`, 'utf8')) as {
    services: Record<'emulator' | 'worker', Service>;
  };
  const { emulator, worker } = file.services;
  const schema = `mp_${randomBytes(6).toString('hex')}`;
  onTestFinished(() => dropSchema(schema));
  const emulatorPort = await freePort();
  const ports = await Promise.all(Array.from({ length: worker.deploy.replicas }, freePort));
  const [program, name, ...args] = emulator.command;
  expect([program, name]).toEqual(['npx', 'market-partner-sdk']);
  const onLoopback = (text: string) =>
    text
      .replace('0.0.0.0', '127.0.0.1')
      .replace('worker:3000', `127.0.0.1:${ports[1]!}`)
      .replace(/^4010$|(?<=emulator:)4010$/, String(emulatorPort))
      .replace('//emulator:', '//127.0.0.1:');
  const service = startProgram(['dist/bin.cjs', ...args.map(onLoopback)]);
  await service.printed(/The emulator listens/);

  const variables = Object.entries(worker.environment).map(([key, text]) => [
    key,
    onLoopback(text),
  ]);
  const environment = Object.fromEntries(variables) as Record<string, string>;
  const startWorker = async (port: number) => {
    const [, script = ''] = worker.command;
    const process = startProgram(withPackages(script), {
      ...environment,
      PORT: String(port),
      PGBOSS_SCHEMA: schema,
      DATABASE_URL: postgresUrl.href,
    });
    await process.printed(/^ready$/m);
    return process;
  };
  // At the same time: they create their tables together.
  const workers = await Promise.all(ports.map(startWorker));
  const { MARKET_BASE_URL: baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret } = environment;
  const market = new MarketClient({ baseUrl, keyId, secret });
  onTestFinished(() => market.close());
  const pay = async (port: number, ...payment: string[]) => {
    const process = startProgram(withPackages('pay.mjs', ...payment), {
      ...environment,
      PORT: String(port),
    });
    await once(process.child, 'close');
    return process.output();
  };
  return { market, workers, ports, pay };
}

const withPackages = (script: string, ...args: string[]) => [
  ...['--import', './test/durable/support/engine-packages.mjs', `${folder}/${script}`],
  ...args,
];

async function dropSchema(schema: string): Promise<void> {
  const pool = new pg!.Pool({ connectionString: postgresUrl.href });
  await pool.query(`drop schema if exists ${schema} cascade`);
  await pool.end();
}

describe.skipIf(skipped !== undefined)(
  `the services of compose.yaml${skipped === undefined ? '' : `, ${skipped}`}`,
  () => {
    it('share the work, go on where one is killed, and end at SIGTERM', async () => {
      const { market, workers, ports, pay } = await startServices();
      const [first, second] = workers as [(typeof workers)[0], (typeof workers)[0]];
      const placed = (pattern: RegExp) =>
        Promise.race([first.printed(pattern), second.printed(pattern)]);
      const [a, b, c] = (await market.domains.search('coffee')) as { domain: string }[];

      expect(await pay(ports[0]!, a!.domain, 'payment-1')).toBe('{ added: true }\n');
      // The payment provider's repeat: another worker takes it, and knows it.
      expect(await pay(ports[1]!, a!.domain, 'payment-1')).toBe('{ added: false }\n');
      await pay(ports[1]!, b!.domain, 'payment-2');
      await Promise.all([placed(/placed payment-1/), placed(/placed payment-2/)]);
      await Promise.all([
        placed(new RegExp(`recorded ${a!.domain}`)),
        placed(new RegExp(`recorded ${b!.domain}`)),
      ]);

      first.child.kill('SIGKILL');
      await pay(ports[1]!, c!.domain, 'payment-3');
      await second.printed(/placed payment-3/);
      await second.printed(new RegExp(`recorded ${c!.domain}`));
      const orders = await market.orders.list().toArray();
      expect(orders.map(({ domain }) => domain).sort()).toEqual(
        [a!, b!, c!].map(({ domain }) => domain).sort(),
      );

      second.child.kill('SIGTERM');
      expect(await once(second.child, 'close')).toEqual([0, null]);
    }, 90_000);
  },
);
