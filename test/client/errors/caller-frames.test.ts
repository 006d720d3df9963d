import { expect, it } from 'vitest';
import { addCallerFrames } from '../../../src/client/errors/caller-frames.js';

it('completes a stack by the frames that it lacks, once', () => {
  const error = new Error('lost');
  error.stack = 'Error: lost\n    at client';
  addCallerFrames(error);
  const completed = error.stack;
  expect(completed).toMatch(/^Error: lost\n {4}at client\n[^]*caller-frames\.test/);
  addCallerFrames(error);
  expect(error.stack.split('\n').length).toBeLessThanOrEqual(completed.split('\n').length + 1);
});

it.each([undefined, null, 'lost', { stack: 'x' }, Object.assign(new Error('lost'), { stack: 5 })])(
  'leaves alone what has no stack to complete: %s',
  (thrown) => {
    const before = Object(thrown).stack as unknown;
    addCallerFrames(thrown);
    expect(Object(thrown).stack).toBe(before);
  },
);
