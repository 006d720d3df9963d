import { expect, it } from 'vitest';
import type { QueueSpec } from '../../src/durable/queue/engine.js';
import type { Job } from '../../src/durable/queue/job.js';
import { memoryEngine } from './support/open-engines.js';

const spec: QueueSpec = {
  name: 'tests',
  leaseMs: 30_000,
  keepDoneMs: 86_400_000,
};
const job: Job = {
  id: 'a',
  orderingKey: 'a',
  body: '{}',
  createdAt: '2026-03-01T12:00:00.000Z',
};

it.each<[string, object]>([
  ['"id" must be a string', { id: 7 }],
  ['"id" must have 1 to 1000 characters', { id: '' }],
  ['"createdAt" must have 1 to 1000 characters', { createdAt: '' }],
  ['"orderingKey" must have 1 to 1000 characters', { orderingKey: 'x'.repeat(1_001) }],
  ['"body" must be well-formed Unicode', { body: '\ud800' }],
  ['"body" must be well-formed Unicode without NUL', { body: '\0' }],
])('a wrong job is refused, and none of its batch is stored: %s', async (message, wrong) => {
  const queue = await memoryEngine().open(spec);
  const batch = [
    { ...job, id: 'first' },
    { ...job, ...wrong },
  ];
  await expect(queue.enqueue(batch)).rejects.toThrow(message);
  expect(await queue.counts()).toMatchObject({ waiting: 0 });
});

it('takes the shortest lease, and the longest id', async () => {
  const queue = await memoryEngine().open({ ...spec, leaseMs: 1 });
  const id = 'x'.repeat(1_000);
  expect(await queue.enqueue([{ ...job, id }])).toEqual({ added: [id] });
});

it('an engine without transactions refuses "tx"', async () => {
  const queue = await memoryEngine().open(spec);
  await expect(queue.enqueue([job], { tx: {} as never })).rejects.toThrow('no transactions');
});

it.each<[string, object]>([
  ['"clock" must be a function', { clock: 5 }],
  ['"sleep" must be a function', { sleep: 'long' }],
  ['"clok"', { clok: () => 0 }],
])('memoryEngine refuses a wrong option by its name: %s', (message, options) => {
  expect(() => memoryEngine(options)).toThrow(message);
});
