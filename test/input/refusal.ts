import { InvalidRequestError, type InputIssue } from '../../src/errors/index.js';
import { checkInput, type Check } from '../../src/input/index.js';

/** The error that an action throws; a test that expects a refusal fails where there is none. */
export function refusal(action: () => unknown): InvalidRequestError {
  try {
    action();
  } catch (error) {
    if (error instanceof InvalidRequestError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The rules that an input breaks, as `[path, message]`. */
export function faults(check: Check<unknown>, input: unknown): [string, string][] {
  return pairs(refusal(() => checkInput(check, input)).issues);
}

export function pairs(issues: readonly InputIssue[]): [string, string][] {
  return issues.map(({ path, message }) => [path, message]);
}
