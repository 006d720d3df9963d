/** What an attempt is taken for, and the waits that its response asks for. */

import { describe, expect, it } from 'vitest';
import { toAttemptResult } from '../../../../src/client/engine/retry/attempt-result.js';
import type { TransportResult } from '../../../../src/client/transport/transport.js';

const attempt = { sentAtMs: 0, secrets: [] };
const endpoint = { method: 'POST' };

function resultOf(status: number, body: string, headers: Record<string, string> = {}) {
  const response = { status, headers, body: Buffer.from(body) };
  return toAttemptResult(response, { cause: undefined } as never, attempt, endpoint);
}

describe('the result of an attempt', () => {
  it('is unknown where a response cannot be read: it was sent', () => {
    const broken = { status: 200, headers: null, body: null } as unknown as TransportResult;
    const result = toAttemptResult(broken, { cause: undefined } as never, attempt, endpoint);
    expect(result.kind).toBe('connection_lost');
    expect(result).toHaveProperty('error.kind', 'unknown');
  });

  it('has no waits where it is no error', () => {
    const headers = { 'retry-after': '7' };
    for (const [status, kind] of [
      [201, 'success'],
      [302, 'unexpected_response'],
    ] as const) {
      const result = resultOf(status, '{"a":1}', headers);
      expect(result.kind).toBe(kind);
      expect(result).not.toHaveProperty('rateLimited');
      expect(result).not.toHaveProperty('retryAfterMs');
    }
  });

  it.each([
    [429, 'rate_limited', true, 7_000],
    [429, 'x', true, 7_000],
    [400, 'rate_limited', true, 7_000],
    [503, 'internal_error', false, 7_000],
    [500, 'internal_error', false, 7_000],
    [408, undefined, false, 7_000],
    [501, 'internal_error', false, undefined],
    [422, 'price_mismatch', false, undefined],
  ])('%i %s: a rate limit %s, a wait of %s', (status, code, rateLimited, retryAfterMs) => {
    const result = resultOf(status, JSON.stringify({ code }), { 'retry-after': '7' });
    expect(result).toMatchObject({ kind: 'error_response', rateLimited, retryAfterMs });
  });
});
