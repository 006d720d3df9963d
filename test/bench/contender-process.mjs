// One contender in a process of its own, started with its question, its name and the server's port.
// It says so once it has given a right answer, then runs the rounds it is told and ends with its
// parent.

import { inspect } from 'node:util';

process.on('uncaughtException', (error) => process.send({ failure: inspect(error) }));
process.on('disconnect', () => process.exit());

const [question, name, port] = process.argv.slice(2);
const { contenders, isRight } = await import(`./contenders/${question}.mjs`);
const call = await contenders[name](Number(port));
const answer = await call();
if (!isRight(answer)) throw new Error(`a wrong answer: ${inspect(answer)}`);

process.on('message', async ({ count, atOnce }) => {
  const cpu = process.cpuUsage();
  const started = process.hrtime.bigint();
  await run(count, atOnce);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  process.send({ seconds, cpuMicros: (user + system) / count });
});
process.send({ ready: true });

async function run(count, atOnce) {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const given = call();
      // To wait for what is no promise would cost the fastest of them a visible part of their time.
      if (typeof given.then === 'function') await given;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
