import { afterEach, describe, expect, it, vi } from 'vitest';
import { SECRET } from './deliveries.js';
import { receiver } from './receiver.js';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

describe('partnerId', () => {
  it('refuses the event of another partner, and one that names none', async () => {
    const { deliver, errors } = receiver({ partnerId: 'prt_1' });
    expect(await deliver()).toBe(200);
    expect(await deliver({ partner_id: 'prt_2' })).toBe(400);
    expect(await deliver({ partner_id: undefined })).toBe(400);
    expect(errors).toMatchObject(Array(2).fill({ reason: 'invalid_event' }));
    expect(String(errors[0])).toMatch(/"partner_id" is not the "partnerId"/);
  });

  it('is off unless it is set, and must be text', async () => {
    expect(await receiver({}).deliver({ partner_id: 'prt_2' })).toBe(200);
    for (const partnerId of ['', 5]) {
      expect(() => receiver({ partnerId: partnerId as string })).toThrow(
        /"partnerId" must be a non-empty string/,
      );
    }
  });
});

describe('maxAgeMs', () => {
  it('refuses an event that was written longer ago', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-21T08:00:10Z') });
    const { deliver, errors } = receiver({ maxAgeMs: 10_000 });
    expect(await deliver()).toBe(200);
    vi.setSystemTime(Date.parse('2026-11-21T08:00:10.001Z'));
    expect(await deliver()).toBe(400);
    expect(errors).toMatchObject([{ reason: 'invalid_event' }]);
    expect(String(errors[0])).toMatch(/"created_at".*"maxAgeMs"/);
  });

  it('refuses an event whose created_at is no date, and accepts one of a clock that is ahead', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-21T07:59:00Z') });
    const { deliver } = receiver({ maxAgeMs: 1 });
    expect(await deliver({ created_at: 'yesterday' })).toBe(400);
    expect(await deliver()).toBe(200);
  });

  it('refuses an event that is more than five minutes in the future', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-21T07:55:00Z') });
    const { deliver, errors } = receiver({ maxAgeMs: 10_000 });
    expect(await deliver()).toBe(200);
    expect(await deliver({ created_at: '2026-11-21T08:00:00.001Z' })).toBe(400);
    expect(await deliver({ created_at: '2099-01-01T00:00:00Z' })).toBe(400);
    expect(String(errors[0])).toMatch(/"created_at" is more than 5 minutes in the future/);
  });

  it.each(['America/New_York', 'Asia/Tokyo'])(
    'reads a created_at without an offset as UTC where the machine is in %s',
    async (zone) => {
      vi.stubEnv('TZ', zone);
      vi.useFakeTimers({ now: Date.parse('2026-11-21T08:00:10Z') });
      const { deliver } = receiver({ maxAgeMs: 10_000 });
      expect(await deliver({ created_at: '2026-11-21T08:00:00.5' })).toBe(200);
      expect(await deliver({ created_at: '2026-11-21T08:00' })).toBe(200);
      expect(await deliver({ created_at: '2026-11-21T07:59:59' })).toBe(400);
      expect(await deliver({ created_at: '2026-11-21T17:00:05+09:00' })).toBe(200);
    },
  );

  it('is off unless it is set, since a delivery may repeat for hours', async () => {
    expect(await receiver({}).deliver({ created_at: '2001-01-01T00:00:00Z' })).toBe(200);
  });

  it.each([0, -1, Number.NaN, Infinity, '1h'])('cannot be %s', (maxAgeMs) => {
    expect(() => receiver({ maxAgeMs: maxAgeMs as number })).toThrow(/"maxAgeMs" must be/);
  });
});

describe('a secret that is a function', () => {
  it('is asked at the first delivery and then once a minute', async () => {
    vi.useFakeTimers();
    const secret = vi.fn(() => Promise.resolve(SECRET));
    const { deliver } = receiver({ secret });
    expect(secret).not.toHaveBeenCalled();
    expect(await Promise.all([deliver(), deliver()])).toEqual([200, 200]);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(await deliver()).toBe(200);
    expect(secret).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await deliver()).toBe(200);
    expect(secret).toHaveBeenCalledTimes(2);
  });

  it('is asked again when a signature does not match: a rotation loses nothing', async () => {
    let current: string | string[] = SECRET;
    const secret = vi.fn(() => current);
    const { deliver } = receiver({ secret });
    expect(await deliver()).toBe(200);
    current = ['whsec_new', SECRET];
    expect(await deliver({}, 'whsec_new')).toBe(200);
    expect(secret).toHaveBeenCalledTimes(2);
    expect(await deliver({}, 'whsec_forged')).toBe(401);
  });

  it('is not asked for each forged delivery', async () => {
    const secret = vi.fn(() => SECRET);
    const { deliver } = receiver({ secret });
    for (let count = 0; count < 100; count += 1) {
      expect(await deliver({}, 'whsec_forged')).toBe(401);
    }
    expect(secret.mock.calls.length).toBeLessThan(20);
  });

  it('answers 500 while it fails or returns none, and asks again for the next delivery', async () => {
    const secret = vi.fn<() => Promise<string>>();
    const { deliver, errors } = receiver({ secret });
    secret.mockRejectedValueOnce(new Error('vault is sealed')).mockResolvedValueOnce('');
    expect([await deliver(), await deliver()]).toEqual([500, 500]);
    expect(errors).toMatchObject([
      { reason: 'missing_secret', cause: { message: 'vault is sealed' } },
      { reason: 'missing_secret' },
    ]);
    secret.mockResolvedValue(SECRET);
    expect(await deliver()).toBe(200);
  });

  it('answers 503 while it hangs, and a call that hangs is not joined forever', async () => {
    vi.useFakeTimers();
    const secret = vi.fn<() => Promise<string>>(() => new Promise(() => undefined));
    const { deliver, errors } = receiver({ secret, timeoutMs: 100 });
    const first = deliver();
    await vi.advanceTimersByTimeAsync(100);
    expect(await first).toBe(503);
    expect(String(errors[0])).toMatch(/The "secret" function took longer/);
    secret.mockResolvedValue(SECRET);
    expect(await deliver()).toBe(200);
  });

  it('that comes late from a call that hung does not replace the newer one', async () => {
    vi.useFakeTimers();
    const secret = vi.fn<() => Promise<string>>().mockResolvedValue(SECRET);
    secret.mockImplementationOnce(async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      return 'whsec_old';
    });
    const { deliver } = receiver({ secret, timeoutMs: 100 });
    const first = deliver({}, 'whsec_old');
    await vi.advanceTimersByTimeAsync(100);
    expect([await first, await deliver()]).toEqual([503, 200]);
    await vi.advanceTimersByTimeAsync(100);
    expect(await deliver()).toBe(200);
    expect(secret).toHaveBeenCalledTimes(2);
  });
});
