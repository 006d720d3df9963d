/** `Report`: what the doctor found, and how it is printed. */

import type { Writer } from '../terminal.js';

/**
 * The result of a check. `'missing'`: a scope that the credential does not have and `--scopes` does not name;
 * `'not_checked'`: it has an effect, or an earlier failure made it pointless.
 */
export type CheckResult = 'ok' | 'warning' | 'failed' | 'missing' | 'not_checked';

export interface Check {
  readonly name: string;
  readonly result: CheckResult;
  readonly detail: string;
  /** What to do next. */
  readonly advice?: string;
}

/** @param advice - empty if nothing is known to help */
export function check(name: string, result: CheckResult, detail: string, advice = ''): Check {
  return { name, result, detail, ...(advice === '' ? {} : { advice }) };
}

const pointless = 'not checked, because of what failed';

/** A check that an earlier failure made pointless, unless `detail` has another reason. */
export function notChecked(name: string, detail = pointless): Check {
  return check(name, 'not_checked', detail);
}

/** The whole report; `--json` prints it as it is. Its keys are public. */
export interface Report {
  readonly ok: boolean;
  readonly version: string;
  readonly node: string;
  readonly baseUrl: string | null;
  /** Its first characters: if the variables are swapped, it is the secret. */
  readonly keyId: string | null;
  readonly environment: string | null;
  /** How far the service's clock is ahead of this machine's. */
  readonly clockOffsetMs: number | null;
  readonly latencyMs: { readonly first: number; readonly median: number | null } | null;
  readonly tls: {
    readonly protocol: string;
    readonly isVerified: boolean;
    readonly expiresAt: string | null;
  } | null;
  /** The names of proxy variables that are set. */
  readonly proxyVariables: readonly string[];
  readonly checks: readonly Check[];
}

const words: Readonly<Record<CheckResult, string>> = {
  ok: 'ok',
  warning: 'warning',
  failed: 'FAILED',
  missing: 'missing',
  not_checked: 'skipped',
};

/** That of the longest name of a check: each is printed before the next is known. */
const nameWidth = 'scope webhook'.length;
const indent = nameWidth + 11;

export function printCheck({ name, result, detail, advice }: Check, { row }: Writer): void {
  // The conclusion counts those that say no more.
  if (detail === pointless) return;
  row(`${words[result].padEnd(8)} ${name.padEnd(nameWidth)}  ${detail}`, { indent });
  if (advice === undefined) return;
  row(`${' '.repeat(indent)}-> ${advice}`, { tone: 'text', indent: indent + 3 });
}

/** "All is well" only if nothing is missing, and nothing but `embed` was left unchecked. */
export function conclusion({ checks }: Report): string {
  const failures = checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
  const plural = failures.length === 1 ? '' : 's';
  if (failures.length > 0) {
    const others = checks.filter(({ detail }) => detail === pointless).length;
    const rest = others === 0 ? '' : ` ${others} others need that first.`;
    return `${failures.length} check${plural} failed: ${failures.join(', ')}.${rest}`;
  }
  const scopesWith = (wanted: CheckResult) =>
    checks.flatMap(({ name, result }) =>
      name.startsWith('scope ') && result === wanted ? [name.slice('scope '.length)] : [],
    );
  const missing = scopesWith('missing');
  const unchecked = scopesWith('not_checked');
  const uncheckedText = unchecked.length === 0 ? '' : ` Not checked: ${unchecked.join(', ')}.`;
  if (missing.length === 0) return `All is well.${uncheckedText}`;
  const granted = scopesWith('ok');
  return `All is well for ${granted.join(', ')} only. Missing: ${missing.join(', ')}.${uncheckedText} With --scopes, a scope that your program needs and that is missing is a failure.`;
}
