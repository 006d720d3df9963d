import { DurableConfigurationError } from 'market-partner-sdk/durable';
import { pgBossEngine } from 'market-partner-sdk/durable/pg-boss';
import { expect, it } from 'vitest';

const ignore = () => undefined;
const methods = ['fetch', 'getDb', 'getQueue', 'insert', 'touch', 'update', 'on'];
const usable = {
  ...Object.fromEntries(methods.map((name) => [name, ignore])),
  listenerCount: () => 1,
};

it.each<[string, object]>([
  ['"boss" must be', { boss: null }],
  ['or a PgBoss of pg-boss 12.35', { boss: { ...usable, touch: undefined } }],
  ['"pool" must be', { pool: {} }],
  ['"schema" must be', { schema: 'a-b' }],
  ['"schema" must be', { schema: null }],
  ['"migrat" is not an option', { migrat: false }],
  ['"migrate" must be true or false', { migrate: 'no' }],
  ['"pollMs" must be a whole number', { pollMs: 0 }],
  ['"sleep" must be a function', { sleep: 100 }],
  ['"boss" must be', { boss: { connectionString: 'postgres://' } }],
])('pgBossEngine refuses: %s', (message, wrong) => {
  const { boss, ...options } = { boss: usable, pool: { connect: ignore }, ...wrong };
  const create = () => pgBossEngine(boss as never, options as never);
  expect(create).toThrow(DurableConfigurationError);
  expect(create).toThrow(message);
});

it.each(['postgres://shop:a-password@db.example/shop', 7, undefined, null, () => 'a-password'])(
  'pgBossEngine refuses %s in place of a boss or options, and quotes nothing of it',
  (wrong) => {
    const create = () => pgBossEngine(wrong as never);
    expect(create).toThrow(DurableConfigurationError);
    expect(create).toThrow('{ connectionString }');
    expect(create).not.toThrow('a-password');
  },
);

it.each<[string, object]>([
  ['"connectionString" must be', { connectionString: '' }],
  ['"maxConnections" must be', { connectionString: 'postgres://', maxConnections: 2 }],
  ['"connectionString" is required', { connectionString: undefined }],
  ['"pool" is not an option', { connectionString: 'postgres://', pool: { connect: ignore } }],
  ['"schema" must be', { connectionString: 'postgres://', schema: 'a-b' }],
])('pgBossEngine without a boss refuses: %s', (message, wrong) => {
  const create = () => pgBossEngine(wrong as never);
  expect(create).toThrow(DurableConfigurationError);
  expect(create).toThrow(message);
});
