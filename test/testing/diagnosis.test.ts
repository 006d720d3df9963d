import { createHash, createHmac, createSecretKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { freshEmulator, startOfTime } from './emulator-fixture.js';
import { sendRaw } from './independent-signer.js';

const market = freshEmulator();
const root = '/api/partner/v1';
const now = String(startOfTime / 1000);
const sha256 = (text: string, form: 'hex' | 'base64' = 'hex') =>
  createHash('sha256').update(text).digest(form);
const empty = sha256('');

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
}

const read: Request = { method: 'GET', path: `${root}/domains/search`, query: "b=it's%20me&a=" };
const write: Request = { method: 'POST', path: `${root}/orders`, body: '{"b": 1, "a": [1, 2]}' };

/** Sends a request whose canonical string was wrong in some of its lines; the reason it is given. */
async function reasonFor(
  request: Request,
  wrong: Partial<Record<0 | 1 | 2 | 3 | 4 | 5, string>>,
  secret?: Buffer | string,
) {
  const credential = market.emulator.createCredential({ secret: 'c0ffee00' });
  const right = [
    request.method,
    request.path,
    request.query === undefined ? '' : 'a=&b=it%27s%20me',
    now,
    'Nonce-1',
    request.body === undefined ? empty : sha256(request.body),
  ];
  const lines = right.map((line, at) => wrong[at as 0] ?? line);
  const key = createSecretKey(Buffer.from(secret ?? credential.secret));
  const mac = createHmac('sha256', key).update(lines.join('\n')).digest('hex');
  const { path, query, method, body } = request;
  const reply = await sendRaw(market.emulator.baseUrl, {
    method,
    target: query === undefined ? path : `${path}?${query}`,
    headers: {
      'X-Market-Key-Id': credential.keyId,
      'X-Market-Timestamp': now,
      'X-Market-Nonce': 'Nonce-1',
      'X-Market-Signature': `v1=${mac}`,
    },
    ...(body === undefined ? {} : { body }),
  });
  expect(reply.json.code).toBe('invalid_signature');
  expect(reply.json.details.canonical_string).toBe(right.join('\n'));
  expect(reply.text).not.toContain(credential.secret);
  return reply.json.message;
}

describe('an invalid signature is explained by the line that differs', () => {
  const prettyBody = JSON.stringify({ b: 1, a: [1, 2] }, null, 2);

  it.each([
    ['a method in lower case', read, { 0: 'get' }, 'line 1 (METHOD)', 'upper case'],
    ['another method', write, { 0: 'PUT' }, 'line 1 (METHOD)', 'Another method'],
    ['the path without its prefix', read, { 1: '/domains/search' }, 'line 2 (PATH)', 'full path'],
    ['without /api', read, { 1: '/partner/v1/domains/search' }, 'line 2 (PATH)', 'full path'],
    ['no leading slash', write, { 1: 'api/partner/v1/orders' }, 'line 2 (PATH)', 'start with /'],
    ['a slash at the end', write, { 1: `${root}/orders/` }, 'line 2 (PATH)', 'slash was added'],
    ['the query in the path', read, { 1: `${read.path}?b=it's%20me&a=`, 2: '' }, 'line 2', 'query'],
    ['the raw query', read, { 2: "b=it's%20me&a=" }, 'line 3 (QUERY_STRING)', 'canonical'],
    ['a question mark', read, { 2: '?a=&b=it%27s%20me' }, 'line 3 (QUERY_STRING)', 'question mark'],
    ['no query', read, { 2: '' }, 'line 3 (QUERY_STRING)', 'left out'],
    ['plus for a space', read, { 2: 'a=&b=it%27s+me' }, 'line 3 (QUERY_STRING)', 'not +'],
    ['a lenient encoding', read, { 2: "a=&b=it's%20me" }, 'line 3 (QUERY_STRING)', 'encoded'],
    ['both', read, { 2: "a=&b=it's+me" }, 'line 3 (QUERY_STRING)', '%20'],
    ['no encoding', read, { 2: "b=it's me&a=" }, 'line 3 (QUERY_STRING)', 'percent-encoded'],
    ['the wrong order', read, { 2: 'b=it%27s%20me&a=' }, 'line 3 (QUERY_STRING)', 'ascending'],
    ['no blank values', read, { 2: 'b=it%27s%20me' }, 'line 3 (QUERY_STRING)', 'Blank values'],
    ['milliseconds', read, { 3: `${now}000` }, 'line 4 (TIMESTAMP)', 'not milliseconds'],
    ['another second', read, { 3: String(Number(now) - 1) }, 'line 4 (TIMESTAMP)', 'header'],
    ['another spelling of the nonce', read, { 4: 'nonce-1' }, 'line 5 (NONCE)', 'spelling'],
    ['no hash', read, { 5: '' }, 'line 6 (BODY_SHA256_HEX)', 'empty byte string'],
    ['no body', write, { 5: empty }, 'line 6 (BODY_SHA256_HEX)', 'left out'],
    ['an upper-case hash', write, { 5: sha256(write.body!).toUpperCase() }, 'line 6', 'lowercase'],
    ['the body itself', write, { 5: write.body! }, 'line 6', 'not its SHA-256'],
    ['base64', write, { 5: sha256(write.body!, 'base64') }, 'line 6', 'base64'],
    ['a compact body', write, { 5: sha256('{"b":1,"a":[1,2]}') }, 'line 6', 'serialized again'],
    ['sorted keys', write, { 5: sha256('{"a":[1,2],"b":1}') }, 'line 6', 'serialized again'],
    ['a pretty body', write, { 5: sha256(prettyBody) }, 'line 6', 'again'],
    ['an added newline', write, { 5: sha256(`${write.body!}\n`) }, 'line 6', 'newline'],
    ['{} for nothing', read, { 5: sha256('{}') }, 'line 6', '{}'],
  ] as const)('%s', async (_name, request, wrong, line, why) => {
    const message = await reasonFor(request, wrong);
    expect(message).toContain(line);
    expect(message).toContain(why);
    expect(message).toContain('You signed');
  });

  it('two lines at once are both named', async () => {
    const message = await reasonFor(read, { 0: 'get', 1: '/domains/search' });
    expect(message).toContain('line 1 (METHOD)');
    expect(message).toContain('line 2 (PATH)');
  });

  it('the whole URL instead of the path', async () => {
    const { host } = new URL(market.emulator.baseUrl);
    const message = await reasonFor(write, { 1: `http://${host}${root}/orders` });
    expect(message).toContain('not the whole URL');
  });

  it.each([
    ['a newline', 'c0ffee00\n', 'a newline at its end'],
    ['a space', ' c0ffee00', 'a space before it'],
    ['quotes', '"c0ffee00"', 'quotation marks around it'],
    ['hex', Buffer.from('c0ffee00', 'hex'), 'decoded from hexadecimal'],
    ['base64', Buffer.from('c0ffee00', 'base64'), 'decoded from base64'],
    ['its hash', sha256('c0ffee00'), 'the SHA-256 of the secret'],
  ])('the secret with %s', async (_name, secret, why) => {
    expect(await reasonFor(read, {}, secret)).toContain(why);
  });

  it('the secret of another credential', async () => {
    const other = market.emulator.createCredential({ secret: 'another' });
    expect(await reasonFor(read, {}, 'another')).toContain(`the secret of ${other.keyId}`);
  });

  it('where no usual mistake explains it, the six lines are given', async () => {
    const message = await reasonFor(write, { 1: '/somewhere/else' });
    expect(message).toContain('compare line by line');
    expect(message).toContain('POST\\n/api/partner/v1/orders');
  });

  it('bodies that are not JSON are explained too', async () => {
    const request = { method: 'POST', path: `${root}/orders`, body: 'a=1  ' };
    expect(await reasonFor(request, { 5: sha256('a=1') })).toContain('white space at its end');
  });
});
