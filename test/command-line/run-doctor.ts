/** Runs the command doctor in this process, against an emulator. */

import { MarketEmulator, type EmulatorOptions, type Scope } from 'market-partner-sdk/testing';
import { expect, onTestFinished } from 'vitest';
import { runCommandLine } from '../../src/command-line/main.js';

interface Check {
  readonly name: string;
  readonly result: string;
  readonly detail: string;
  readonly advice?: string;
}

export interface Report {
  readonly ok: boolean;
  readonly clockOffsetMs: number | null;
  readonly latencyMs: { readonly first: number; readonly median: number | null } | null;
  readonly checks: readonly Check[];
}

type Environment = Record<string, string>;

export async function run(env: Environment, ...args: string[]) {
  let out = '';
  let err = '';
  const code = await runCommandLine(['doctor', ...args], {
    out: (text) => (out += text),
    err: (text) => (err += text),
    stop: new AbortController().signal,
    env,
  });
  return { code, out, err };
}

/** The report as JSON, after a look at both forms for what must not be in them. */
export async function doctor(env: Environment, ...args: string[]) {
  const { code, out, err } = await run(env, ...args, '--json');
  expect(err).toBe('');
  const { MARKET_SECRET: secret = '-', MARKET_KEY_ID: keyId = '-' } = env;
  if (secret !== '-') expect(out).not.toContain(secret);
  if (keyId.length > 8) expect(out).not.toContain(keyId);
  const report = JSON.parse(out) as Report;
  expect(code).toBe(report.ok ? 0 : 1);
  const check = (name: string) => {
    const found = report.checks.find((each) => each.name === name);
    if (found === undefined) throw new Error(`there is no check ${name}`);
    return found;
  };
  const failed = report.checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
  return { ...report, check, failed };
}

/** An emulator, and the three variables of a credential of it. */
export async function service(options: EmulatorOptions = {}, scopes?: readonly Scope[]) {
  const emulator = await MarketEmulator.start(options);
  onTestFinished(() => emulator.stop());
  const { keyId, secret } = emulator.createCredential(scopes === undefined ? {} : { scopes });
  const env = { MARKET_BASE_URL: emulator.baseUrl, MARKET_KEY_ID: keyId, MARKET_SECRET: secret };
  return { emulator, env };
}
