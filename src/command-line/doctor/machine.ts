/** Checks of this machine: the version of Node, and proxy variables. */

import { version } from '../../version.js';
import type { Check } from './report.js';

/** As `engines` of package.json says. */
const oldestNode = [20, 18, 1] as const;

export function checkNode(): Check {
  const detail = `${process.version}, market-partner-sdk ${version}`;
  const found = process.versions.node.split('.').map(Number);
  const at = oldestNode.findIndex((least, index) => found[index] !== least);
  const isOld = at !== -1 && (found[at] ?? 0) < (oldestNode[at] ?? 0);
  if (!isOld) return { name: 'node', result: 'ok', detail };
  const advice = `Use Node ${oldestNode.join('.')} or later.`;
  return { name: 'node', result: 'failed', detail, advice };
}

const proxyVariable = /^(https?|all)_proxy$/i;

export function findProxyVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => proxyVariable.test(name) && (env[name] ?? '') !== '')
    .sort();
}

/**
 * Their values may hold a password: only the names are shown.
 *
 * @param proxy - the client's option of this name
 */
export function checkProxy(variables: readonly string[], proxy: string | undefined): Check {
  const name = 'proxy';
  const set = variables.length === 0 ? 'no proxy variable is set' : `${variables.join(', ')} set`;
  if (proxy !== undefined) {
    const used =
      proxy === 'environment'
        ? ', and used for all but loopback and NO_PROXY'
        : ', and the given proxy is used';
    return { name, result: 'ok', detail: set + used };
  }
  if (variables.length === 0) return { name, result: 'ok', detail: set };
  return {
    name,
    result: 'warning',
    detail: `${set}, and not used: the client connects directly`,
    advice:
      'Where this network has no other way out: make the client with proxy: "environment", and try it here with --proxy environment.',
  };
}
