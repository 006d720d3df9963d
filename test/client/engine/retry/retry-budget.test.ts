import { describe, expect, it } from 'vitest';
import { RetryBudget } from '../../../../src/client/engine/retry/retry-budget.js';

/** Retries until the budget says no. */
function drain(budget: RetryBudget): number {
  let retries = 0;
  for (; budget.allowsRetry && retries < 1_000; retries += 1) budget.spend();
  return retries;
}

describe('the retry budget', () => {
  it('allows 100 retries before any success', () => {
    expect(drain(new RetryBudget())).toBe(100);
  });

  it('earns a retry with five successes at the first attempt', () => {
    const budget = new RetryBudget();
    drain(budget);
    for (let successes = 0; successes < 4; successes += 1) budget.earn(false);
    expect(budget.allowsRetry).toBe(false);
    budget.earn(false);
    expect(drain(budget)).toBe(1);
  });

  it('gets the cost of a retry back when it succeeds', () => {
    const budget = new RetryBudget();
    drain(budget);
    budget.earn(true);
    expect(drain(budget)).toBe(1);
  });

  it('never lasts for more than 100, however many calls succeed', () => {
    const budget = new RetryBudget();
    for (let successes = 0; successes < 5_000; successes += 1) budget.earn(successes % 2 === 0);
    expect(drain(budget)).toBe(100);
  });
});
