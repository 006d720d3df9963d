/** `Report`: what the doctor found, and how it is printed. */

import { printable } from '../terminal.js';

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

/** A check that an earlier failure made pointless, unless `detail` has another reason. */
export function notChecked(name: string, detail = 'not checked: see what failed'): Check {
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

export function reportText({ checks }: Report): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, result, detail, advice }) => [
    `${words[result].padEnd(8)} ${name.padEnd(width)}  ${printable(detail)}`,
    ...(advice === undefined ? [] : [`${' '.repeat(width + 11)}-> ${printable(advice)}`]),
  ]);
  return `${lines.join('\n')}\n\n${conclusion(checks)}\n`;
}

/** "All is well" only if nothing is missing, and nothing but `embed` was left unchecked. */
function conclusion(checks: readonly Check[]): string {
  const failures = checks.filter(({ result }) => result === 'failed').length;
  if (failures > 0) return `${failures} check${failures === 1 ? '' : 's'} failed.`;
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
