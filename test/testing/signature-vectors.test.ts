import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MarketEmulator } from 'market-partner-sdk/testing';
import { sendRaw } from './independent-signer.js';

interface Vector {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body_base64: string;
  readonly secret: string;
  readonly timestamp: string;
  readonly nonce: string;
  readonly signature: string;
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}`, import.meta.url), 'utf8'));
const vectors = read('signature.json') as Vector[];

let emulator: MarketEmulator;

beforeAll(async () => {
  emulator = await MarketEmulator.start();
  for (const { name, secret } of vectors)
    emulator.createCredential({ keyId: keyIdOf(name), secret });
});
afterAll(() => emulator.stop());

const keyIdOf = (name: string) => `mk_sandbox_${name.replace(' ', '_')}`;

async function verdictOf(vector: Vector): Promise<string> {
  const { method, path, query, body_base64, timestamp, nonce, signature, name } = vector;
  const reply = await sendRaw(emulator.baseUrl, {
    method: method.toUpperCase(),
    target: query === '' ? path : `${path}?${query}`,
    headers: {
      'X-Market-Key-Id': keyIdOf(name),
      'X-Market-Timestamp': timestamp,
      'X-Market-Nonce': nonce,
      'X-Market-Signature': signature,
    },
    body: Buffer.from(body_base64, 'base64'),
  });
  const arrived = emulator.requests.at(-1);
  expect(arrived?.requestId).toBe(reply.headers['x-request-id']);
  return arrived!.verdict;
}

it.each(vectors.map((vector) => [vector.name, vector] as const))(
  'the signature vector %s is accepted at its time, and refused with any one byte changed',
  async (_name, vector) => {
    emulator.clock.set(Number(vector.timestamp) * 1000);
    for (const changed of singleByteChanges(vector)) {
      expect(await verdictOf(changed), JSON.stringify(changed)).toBe('invalid_signature');
    }
    expect(await verdictOf(vector)).toBe('accepted');
  },
);

/** Every part of the vector with one byte changed, at some places. */
function* singleByteChanges(vector: Vector): Generator<Vector> {
  const { path, query, nonce, signature, timestamp, method } = vector;
  // Without its leading slash a path is not HTTP any more, and no server would get to see it.
  for (const at of places(path.length).slice(1)) yield { ...vector, path: swap(path, at) };
  for (const at of places(query.length)) {
    // A pair's separators are the query's structure; changing a letter changes what it says.
    if (
      /[a-z0-9]/i.test(query.charAt(at)) &&
      query.charAt(at - 1) !== '%' &&
      query.charAt(at - 2) !== '%'
    ) {
      yield { ...vector, query: swap(query, at) };
    }
  }
  for (const at of places(nonce.length)) yield { ...vector, nonce: swap(nonce, at) };
  for (const at of places(signature.length)) yield { ...vector, signature: swap(signature, at) };
  const last = timestamp.length - 1;
  yield { ...vector, timestamp: swap(timestamp, last) };
  yield { ...vector, method: method.toUpperCase() === 'PUT' ? 'POST' : 'PUT' };
  if (!['GET', 'HEAD'].includes(method.toUpperCase())) {
    const body = Buffer.from(vector.body_base64, 'base64');
    for (const at of places(body.length)) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] ?? 0) ^ 1;
      yield { ...vector, body_base64: changed.toString('base64') };
    }
    yield { ...vector, body_base64: Buffer.concat([body, Buffer.from(' ')]).toString('base64') };
  }
}

/** Some 16 places of a text, the first and the last among them. */
function places(length: number): number[] {
  const step = Math.max(1, Math.floor(length / 15));
  const found: number[] = [];
  for (let at = 0; at < length; at += step) found.push(at);
  return length === 0 ? [] : [...new Set([...found, length - 1])];
}

function swap(text: string, at: number): string {
  const other = text.charAt(at) === '1' ? '2' : '1';
  return text.slice(0, at) + other + text.slice(at + 1);
}
