/** `reportOnce`: one line about a response that differs, whichever call it was that met it first. */

import { noop } from '../../core/logger.js';
import type { ContextFields } from '../tracing.js';
import type { CallResponse } from '../results/call-promise.js';
import type { Config } from '../options/config.js';

/** What went to stderr in this process, whichever client it was: a program may make one for each request. */
const warned = new Set<string>();
const mostWarned = 1_000;

/**
 * Logs once for each call and subject: a service that leaves a field out does so every time.
 *
 * @param toStderr - whether it must not be lost without a logger
 */
export function reportOnce(
  { endpoint: { name }, response, validation, context, reportedFields }: ReportContext,
  subject: string,
  line: string,
  fields: Readonly<Record<string, unknown>>,
  toStderr = false,
): void {
  const key = `${name} ${subject}`;
  if (reportedFields.has(key)) return;
  reportedFields.add(key);
  const { status, requestId } = response;
  const { warn } = validation.logger;
  warn(`${name}: ${line}`, {
    ...context,
    call: name,
    ...fields,
    status,
    ...(requestId === undefined ? {} : { requestId }),
  });
  if (!toStderr || warn !== noop || warned.has(key) || warned.size >= mostWarned) return;
  warned.add(key);
  process.emitWarning(`${name}: ${line}`, { code: 'MARKET_UNEXPECTED_SHAPE' });
}

interface ReportContext {
  readonly endpoint: { readonly name: string };
  readonly response: Pick<CallResponse, 'status' | 'requestId'>;
  readonly validation: Pick<Config, 'logger'>;
  readonly context: ContextFields | undefined;
  /** What was already logged by this client. */
  readonly reportedFields: Set<string>;
}
