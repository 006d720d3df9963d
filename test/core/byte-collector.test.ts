import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteCollector } from '../../src/core/byte-collector.js';

function collect(chunks: readonly Uint8Array[]): ByteCollector {
  const collector = new ByteCollector();
  for (const chunk of chunks) collector.add(chunk);
  return collector;
}

describe('ByteCollector', () => {
  it('gives the bytes of all chunks in order, whatever their sizes', () => {
    const size = fc.oneof(fc.constant(0), fc.constant(1), fc.nat(3_000), fc.nat(150_000));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 40 }), (sizes) => {
        let next = 0;
        const chunks = sizes.map((length) => Uint8Array.from({ length }, () => (next += 1)));
        const collector = collect(chunks);
        expect(collector.length).toBe(sizes.reduce((sum, each) => sum + each, 0));
        expect(Buffer.compare(collector.toBytes(), Buffer.concat(chunks))).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  it('gives an only chunk as it is, empty chunks around it', () => {
    const chunk = Uint8Array.of(1, 2, 3);
    expect(collect([chunk]).toBytes()).toBe(chunk);
    expect(collect([new Uint8Array(), chunk, new Uint8Array()]).toBytes()).toBe(chunk);
    expect(collect([]).toBytes()).toHaveLength(0);
  });

  it('holds at most twice the bytes of tiny chunks that it joined', () => {
    const collector = collect(Array.from({ length: 5_000 }, () => Uint8Array.of(7)));
    expect(collector.toBytes()).toEqual(new Uint8Array(5_000).fill(7));
    const joined = collect(Array.from({ length: 900 }, () => Uint8Array.of(7))).toBytes();
    expect(joined.buffer.byteLength).toBeLessThan(2 * 900);
  });
});
