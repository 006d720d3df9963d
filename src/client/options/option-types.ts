/** clientOptionTable: every option of a client, and its check. */

import { ConfigurationError } from '../errors/configuration-error.js';
import {
  boolean,
  callback,
  loggerLike,
  milliseconds,
  oneOf,
  optionCheck,
  string,
  hasMethod,
  type OptionErrorFactory,
  type OptionTable,
} from '../../options.js';
import { limitOptions } from './checks.js';
import type { ClientOptions } from './client-options.js';

const hostList = optionCheck(
  'must be an array of host names, such as ["emulator"]',
  (value) =>
    Array.isArray(value) &&
    value.every(
      (host) => typeof host === 'string' && /^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/i.test(host),
    ),
);

/** `true` for an option that is checked where it is read. */
export const clientOptionTable: OptionTable<ClientOptions> = {
  baseUrl: true,
  keyId: true,
  secret: true,
  credentials: callback,
  signer: optionCheck('must be { keyId, sign() }', (it) => hasMethod(it, 'sign')),
  ...limitOptions,
  maxRateLimitHoldMs: milliseconds,
  headers: true,
  validateResponses: oneOf('off', 'warn', 'error'),
  logger: loggerLike,
  dispatcher: optionCheck('must have a dispatch method, as those of undici 7 and 8 have', (it) =>
    hasMethod(it, 'dispatch'),
  ),
  fetch: callback,
  proxy: string,
  clock: callback,
  random: callback,
  sleep: callback,
  tracing: optionCheck(
    'must be what openTelemetry() of market-partner-sdk/opentelemetry returns',
    (it) => hasMethod(it, 'call'),
  ),
  forbidLive: boolean,
  allowHttp: hostList,
  dangerouslyAllowBrowser: boolean,
};

export const invalidOption: OptionErrorFactory = (name, rule) =>
  new ConfigurationError(`"${name}" ${rule}`, { option: name });
