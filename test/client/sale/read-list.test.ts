import { expect, it } from 'vitest';
import { TimeoutError } from 'market-partner-sdk';
import { maxPages, readList, type ListToRead } from '../../../src/client/sale/read-list.js';
import type { ListPage } from '../../../src/client/sale/absence-proof.js';

interface Item {
  readonly id: number;
}

/** A list whose pages come from a function of the cursor; each read takes `pageMs`. */
function listOf(pageAt: (cursor: string | undefined) => ListPage<Item>, pageMs = 0) {
  const time = { nowMs: 5_000 };
  const reads: { cursor: string | undefined; deadlineMs: number }[] = [];
  const list: ListToRead<Item> = {
    noun: 'orders',
    readPage: async (cursor, deadlineMs) => {
      reads.push({ cursor, deadlineMs });
      time.nowMs += pageMs;
      return pageAt(cursor);
    },
    isForeign: ({ id }) => id < 0,
    keep: ({ id }) => id % 2 === 0,
    nowMs: () => time.nowMs,
    deadlineMs: 1_000,
  };
  return { list, reads };
}

const page = (items: readonly unknown[], nextCursor?: string): ListPage<Item> => ({
  items: items as Item[],
  body: { data: items, next_cursor: nextCursor ?? null },
  nextCursor,
});

it('keeps what matches of all pages, and nothing else', async () => {
  const { list, reads } = listOf((cursor) =>
    cursor === undefined ? page([{ id: 1 }, { id: 2 }], 'c1') : page([{ id: 4 }, { id: 5 }]),
  );
  expect(await readList(list)).toEqual({ kept: [{ id: 2 }, { id: 4 }], doubt: undefined });
  expect(reads.map(({ cursor }) => cursor)).toEqual([undefined, 'c1']);
});

it('has one deadline for all pages', async () => {
  const { list, reads } = listOf((cursor = '0') => page([], String(Number(cursor) + 1)), 300.5);
  const failed = readList(list);
  await expect(failed).rejects.toBeInstanceOf(TimeoutError);
  await expect(failed).rejects.toMatchObject({ which: 'deadline', outcome: 'unknown' });
  expect(reads.map(({ deadlineMs }) => deadlineMs)).toEqual([1_000, 699, 399, 98]);
});

it('passes less than a millisecond for no time', async () => {
  const { list } = listOf((cursor = '0') => page([], String(Number(cursor) + 1)), 999.5);
  await expect(readList(list)).rejects.toThrow('within 1000 ms');
});

it('ends at a page that repeats the one before it, under whatever cursor', async () => {
  const { list, reads } = listOf((cursor = '0') => page([{ id: 2 }], String(Number(cursor) + 1)));
  const doubt = 'repeats the page before it';
  expect(await readList(list)).toEqual({ kept: [{ id: 2 }], doubt });
  expect(reads).toHaveLength(2);
});

it('gives up after 1,000 pages, and returns what it has seen', async () => {
  const { list, reads } = listOf((cursor = '0') =>
    page([{ id: Number(cursor) === 7 ? 8 : 1, cursor }], String(Number(cursor) + 1)),
  );
  expect(await readList(list)).toEqual({
    kept: [{ id: 8, cursor: '7' }],
    doubt: 'has more than 1000 pages',
  });
  expect(reads).toHaveLength(maxPages);
});

it('reads a list of exactly 1,000 pages', async () => {
  const { list } = listOf((cursor = '1') =>
    page([], Number(cursor) < maxPages ? String(Number(cursor) + 1) : undefined),
  );
  expect(await readList(list)).toEqual({ kept: [], doubt: undefined });
});

it.each([
  ['to the page before', ['a', 'b', 'a'], 3],
  ['to itself', ['a', 'a'], 2],
])('notices a cursor that leads back %s', async (_what, cursors, expected) => {
  const left = [...cursors];
  const { list, reads } = listOf(() => page([], left.shift()));
  expect((await readList(list)).doubt).toContain('leads back');
  expect(reads).toHaveLength(expected);
});

it('passes items that are no records on to the doubt, not to the filters', async () => {
  const { list } = listOf(() => page([null, 7, { id: 2 }]));
  expect(await readList(list)).toEqual({
    kept: [{ id: 2 }],
    doubt: 'has an item that is not a record',
  });
  const foreign = listOf(() => page([{ id: -1 }]));
  expect((await readList(foreign.list)).doubt).toContain('filter');
});

it('rejects with the error of a page that cannot be read', async () => {
  const down = new Error('down');
  const { list } = listOf(() => {
    throw down;
  });
  await expect(readList(list)).rejects.toBe(down);
});
