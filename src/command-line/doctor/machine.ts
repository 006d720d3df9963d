/** Checks of this machine: the version of Node, and proxy variables. */

import { version } from '../../core/version.js';
import { check, type Check } from './report.js';

/** As `engines` of package.json says. */
const oldestNode = '20.18.1';

export function checkNode(): Check {
  const detail = `${process.version}, market-partner-sdk ${version}`;
  const isOld = process.versions.node.localeCompare(oldestNode, 'en', { numeric: true }) < 0;
  return isOld
    ? check('node', 'failed', detail, `Use Node ${oldestNode} or later.`)
    : check('node', 'ok', detail);
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
  const set = variables.length === 0 ? 'no proxy variable is set' : `${variables.join(', ')} set`;
  if (proxy !== undefined) {
    const used =
      proxy === 'environment'
        ? ', and used for all but loopback and NO_PROXY'
        : ', and the given proxy is used';
    return check('proxy', 'ok', set + used);
  }
  if (variables.length === 0) return check('proxy', 'ok', set);
  return check(
    'proxy',
    'warning',
    `${set}, and not used, since the client connects directly`,
    'If this network has no other way out, create the client with proxy: "environment", and try it here with --proxy environment.',
  );
}
