// One process of the fleet: it checks its names with one client as soon as it is told to.

const [contender, port, count] = process.argv.slice(2);
const origin = `http://127.0.0.1:${port}`;
const names = Array.from({ length: Number(count) }, (_, index) => `name-${index}.example`);
process.on('disconnect', () => process.exit());

/** Each returns how many names were served; the rivals have no method for many, and get eight at a time. */
const contenders = {
  'market-partner-sdk': async () => {
    const { MarketClient } = await import('market-partner-sdk');
    const market = new MarketClient({
      baseUrl: origin,
      keyId: 'mk_test_bench',
      secret: 'bench-secret',
    });
    return async () => {
      let served = 0;
      for await (const { error } of market.domains.checkMany(names))
        if (error === undefined) served += 1;
      return served;
    };
  },
  '@discordjs/rest': async () => {
    const { REST } = await import('@discordjs/rest');
    const rest = new REST({ api: origin, version: '1', timeout: 120_000 }).setToken('bench');
    return () =>
      eightAtATime((name) => rest.get('/availability', { query: new URLSearchParams({ name }) }));
  },
  openai: async () => {
    const { OpenAI } = await import('openai');
    const client = new OpenAI({ apiKey: 'bench', baseURL: origin });
    return () => eightAtATime((name) => client.get('/availability', { query: { name } }));
  },
};

async function eightAtATime(check) {
  const left = [...names];
  let served = 0;
  const worker = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const ok = await check(name).then(
        () => true,
        () => false,
      );
      if (ok) served += 1;
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return served;
}

const run = await contenders[contender]();
process.once('message', async () => {
  const startedAt = performance.now();
  const served = await run();
  process.send({ served, seconds: (performance.now() - startedAt) / 1_000 });
});
process.send('ready');
