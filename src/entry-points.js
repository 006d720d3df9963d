/**
 * The package's entry points: what follows `market-partner-sdk/`, and the source file. The build, the
 * tests, the reference and the checks of the package read this list. A new entry point is a line
 * here, and its paths under `exports` in package.json.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const entryPoints = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  testing: 'src/testing/index.ts',
  opentelemetry: 'src/opentelemetry/index.ts',
  durable: 'src/durable/index.ts',
  'durable/pg-boss': 'src/durable/pg-boss/index.ts',
};
