/** Runs the bundles that its parent names, one after another, and answers with the first failure of each. */

process.on('message', async (path) => {
  const { runTests, testCount } = await import(path);
  const failure = await runTests();
  process.send({ tests: testCount(), failure: failure ?? null });
});
// A mutant may leave a promise behind that nobody awaits.
process.on('unhandledRejection', () => undefined);
