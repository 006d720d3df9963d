import { describe, expect, it } from 'vitest';
import { explainWebhookMismatch, type RawBody } from 'market-partner-sdk/webhooks';
import { eventJson, SECRET, signed } from './deliveries.js';

const sent = eventJson({ note: 'Zoë ☕ a/b <c>' });
const signature = signed(sent);
const explain = (body: RawBody, header: string = signature, secret: string | string[] = SECRET) =>
  explainWebhookMismatch(body, header, secret);

const pretty = (text: string, indent: string | number) =>
  JSON.stringify(JSON.parse(text), null, indent);
const withCrlf = pretty(sent, 2).replaceAll('\n', '\r\n');
/** As `JsonSerializer` of .NET escapes with its defaults. */
const dotNetEscaped = (text: string) =>
  text.replace(/[&'+<>`\u007f-\uffff]|\\"/g, (char) => {
    const code = char.charCodeAt(char.length - 1);
    return `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  });
const nonAsciiEscaped = (text: string) =>
  text.replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

describe('a mismatch is explained when the body', () => {
  it.each<[string, RawBody, string, RegExp]>([
    ['got a newline', `${sent}\n`, sent, /without the newline at its end/],
    ['got a CRLF', `${sent}\r\n`, sent, /without the newline at its end/],
    ['lost a newline', sent, `${sent}\n`, /with a newline at its end/],
    ['lost a CRLF', sent, `${sent}\r\n`, /with a newline at its end/],
    ['got CRLF line ends', withCrlf, pretty(sent, 2), /LF for CRLF/],
    ['lost CRLF line ends', pretty(sent, 2), withCrlf, /CRLF for LF/],
    ['got a byte order mark', `\uFEFF${sent}`, sent, /without its byte order mark \(BOM\)/],
    ['lost a byte order mark', sent, `\uFEFF${sent}`, /with a byte order mark \(BOM\)/],
    ['is base64, as on Lambda', Buffer.from(sent).toString('base64'), sent, /isBase64Encoded/],
    ['was serialized twice', JSON.stringify(sent), sent, /JSON string.*serialized twice/s],
    ['was read as latin1', Buffer.from(sent).toString('latin1'), sent, /latin1.*mojibake/s],
    ['arrived in latin1', Buffer.from('"Zoë"', 'latin1'), '"Zoë"', /but it arrived here in latin1/],
  ])('%s', (_change, received, original, explanation) => {
    expect(explain(received, signed(original))).toMatch(explanation);
  });

  it.each<[string, string]>([
    ['with two spaces', pretty(sent, 2)],
    ['with four spaces', pretty(sent, 4)],
    ['with tabs', pretty(sent, '\t')],
    ['with a newline at its end', `${pretty(sent, 2)}\n`],
    ['with a space after colons and commas', sent.replaceAll('":', '": ').replaceAll(',"', ', "')],
    ['with \\u escapes', nonAsciiEscaped(sent)],
    ['with escaped slashes', sent.replaceAll('/', '\\/')],
    ['with escaped slashes and letters', nonAsciiEscaped(sent.replaceAll('/', '\\/'))],
    ['by .NET', dotNetEscaped(eventJson({ note: 'Zoë & "Co" + \\"' }))],
    ['by Jackson', eventJson({ note: 'Zoë <c>' }).replace('ë', '\\u00EB')],
    ['with escaped angle brackets', sent.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')],
  ])('was parsed and serialized again, and had been written %s', (_style, original) => {
    const received = JSON.stringify(JSON.parse(original));
    expect(explain(received, signed(original))).toMatch(/parsed and serialized again/);
  });

  it('was written again with empty lists, empty objects and white space in strings', () => {
    const value = { id: 'a', list: [], map: {}, nested: [{}, [1, 'two, "three": [4]']] };
    for (const indent of [2, 4, '\t']) {
      const original = JSON.stringify(value, null, indent);
      expect(explain(JSON.stringify(value), signed(original))).toMatch(/serialized again/);
      expect(explain(original, signed(JSON.stringify(value)))).toMatch(/serialized again/);
    }
  });

  it('is a parsed object: by the way to keep its bytes', () => {
    expect(explain(JSON.parse(sent) as RawBody)).toMatch(/already parsed.*express\.raw/s);
  });
});

describe('a mismatch is explained when the secret', () => {
  it.each<[string, string, string | Uint8Array, RegExp]>([
    ['has a newline', `${SECRET}\n`, SECRET, /without the white space around it/],
    ['has quotation marks', `"${SECRET}"`, SECRET, /quotation marks/],
    ['has typographic quotation marks', `“${SECRET}”`, SECRET, /quotation marks/],
    ['has an invisible space', `${SECRET}\u200b`, SECRET, /without the white space around it/],
    ['has the comment of its line', `${SECRET} # live`, SECRET, /without the comment after it/],
    ["is a secrets manager's JSON", `{"webhook":"${SECRET}"}`, SECRET, /a value inside the secret/],
    ['was registered with a newline', SECRET, `${SECRET}\n`, /with a newline at its end/],
    ['was registered with a space', SECRET, `${SECRET} `, /with a space at its end/],
    ['is base64 of the registered one', btoa('top secret'), 'top secret', /decoded from base64/],
    ['was registered in base64', 'top secret', btoa('top secret'), /the secret in base64/],
    ['is hexadecimal of the registered one', '746f70', 'top', /decoded from hexadecimal/],
    ['was registered in hexadecimal', 'top', '746f70', /the secret in hexadecimal/],
    ['has a prefix too much', 'whsec_abc', 'abc', /without its prefix/],
    ['has a prefix and is base64', `whsec_${btoa('top')}`, 'top', /decoded from base64/],
    ['was registered in latin1', 'päss', Buffer.from('päss', 'latin1'), /the secret in latin1/],
    ['was read as latin1', 'pÃ¤ss', 'päss', /read as UTF-8, not as latin1/],
    ['is in another Unicode form', 'pa\u0308ss', 'p\u00e4ss', /Unicode form NFC/],
    ['is URL-encoded', 'a%20b', 'a b', /URL-decoding/],
  ])('%s', (_change, secret, registered, explanation) => {
    const text = explain(sent, signed(sent, registered), secret);
    expect(text).toMatch(explanation);
    expect(text).not.toContain(secret);
  });

  it('is one of several', () => {
    const secrets = ['whsec_other', `${SECRET}\n`];
    expect(explain(sent, signature, secrets)).toMatch(/without the white space around it/);
  });

  it('is missing', () => {
    expect(explain(sent, signature, '')).toMatch(/"secret" is empty/);
  });
});

describe('a mismatch is explained when the signature', () => {
  const digest = Buffer.from(signature, 'hex');

  it.each<[string, string, RegExp]>([
    ['has the prefix of API requests', `v1=${signature}`, /prefix v1=.*belongs to API requests/],
    ['has another prefix', `sha256=${signature}`, /prefix sha256=/],
    ['is in upper case', signature.toUpperCase(), /upper case/],
    ['is in base64', digest.toString('base64'), /base64; the service sends hex/],
    ['is in base64url', digest.toString('base64url'), /base64; the service sends hex/],
    ['has white space around it', ` ${signature}\n`, /white space or quotes/],
    ['has quotes around it', `"${signature}"`, /white space or quotes/],
    ['was sent twice', `${signature}, ${signature}`, /2 values/],
  ])('%s', (_form, header, explanation) => {
    expect(explain(sent, header)).toMatch(explanation);
  });

  it('is wrong in form while the body is wrong too: both are named', () => {
    const text = explain(`${sent}\n`, `sha256=${signature.toUpperCase()}`);
    expect(text).toMatch(/prefix sha256=.*upper case.*without the newline/s);
  });

  it('is missing or no digest at all', () => {
    expect(explain(sent, '')).toMatch(/no X-Market-Signature/);
    expect(explain(sent, 'hunter2')).toMatch(/not a SHA-256 digest/);
  });
});

describe('an explanation', () => {
  it('says so when the signature matches', () => {
    expect(explain(sent)).toBe('The signature matches, so there is nothing to explain.');
  });

  it('gives the size and the SHA-256 of the body when nothing would have matched', () => {
    const text = explain(sent, signed(sent, 'whsec_unknown'));
    expect(text).toMatch(
      /Nothing that was tried would have matched.*not the one that the webhook was registered with/s,
    );
    expect(text).toMatch(/serialized again on the way, .*what JSON\.stringify writes/);
    const python = sent.replaceAll('":', '": ');
    expect(explain(python, signed(sent, 'whsec_unknown'))).not.toMatch(/JSON\.stringify writes/);
    expect(text).toContain(`${Buffer.byteLength(sent)} bytes`);
  });

  it('says that bytes were lost when text was decoded wrongly', () => {
    const lossy = Buffer.from(sent, 'latin1').toString('utf8');
    expect(explain(lossy, signed(Buffer.from(sent, 'latin1')))).toMatch(/Bytes were probably lost/);
  });

  it('says that the body is empty', () => {
    expect(explain('')).toMatch(/body is empty/);
  });

  it('never repeats the right signature, even of a delivery that is forged', () => {
    expect(explain(sent, '0'.repeat(64))).not.toContain(signature);
    expect(explain(`${sent}\n`, '0'.repeat(64))).not.toContain(signature);
  });

  it('does not accept as an explanation what anyone can sign', () => {
    expect(explain(sent, signed(sent, ''), ' ')).toMatch(/Nothing that was tried/);
  });

  it('tries nothing on a body that is too large for an event', () => {
    expect(explain('x'.repeat(256 * 1024 + 1))).toMatch(/262145 bytes.*nothing was tried/);
  });
});

describe('an explanation of what a sender has made hard', () => {
  const brackets = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

  it.each<[string, string]>([
    ['brackets in 16 kB', brackets(8_000)],
    ['brackets in 256 kB', brackets(128 * 1024)],
    ['objects in objects', '{"a":'.repeat(40_000) + '1' + '}'.repeat(40_000)],
    ['a list of 130,000 numbers', `[1000${',1'.repeat(130_000)}]`],
    ['a list of 130,000 bytes', `[${'1,'.repeat(130_000)}1]`],
    ['a string of escapes', `"${'\\u0000'.repeat(40_000)}"`],
    ['commas for a signature', sent],
  ])('is bounded in time and memory: %s', (what, body) => {
    const header = what.startsWith('commas') ? `${'0'.repeat(64)},`.repeat(2_000) : '0'.repeat(64);
    const memory = process.memoryUsage().rss;
    const before = process.cpuUsage();
    // A busy machine runs into the limit of time before it has read the list of bytes.
    expect(explain(body, header)).toMatch(
      /Nothing that was tried|Not everything was tried|Verify its bytes|does not begin with/,
    );
    // 1.6 GB and 4 s without the bounds. CPU time: a busy machine does not make it longer.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(3);
    expect((process.memoryUsage().rss - memory) / 2 ** 20).toBeLessThan(400);
  });

  it('still finds a rewritten body as deep as an event can be', () => {
    const value = JSON.parse(brackets(32)) as unknown;
    const original = JSON.stringify(value, null, 2);
    expect(explain(JSON.stringify(value), signed(original))).toMatch(/serialized again/);
  });

  it('never throws, whatever it is called with', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const throwing = {
      get: () => {
        throw proxy as Error;
      },
    };
    const anything: unknown[] = [undefined, null, 5, Symbol('s'), {}, [], proxy, throwing, () => 1];
    for (const body of anything) {
      for (const header of [...anything, signature]) {
        for (const secret of [...anything, SECRET]) {
          expect(typeof explain(body as string, header as string, secret as string)).toBe('string');
        }
      }
    }
    expect(explain(sent, throwing as unknown as string)).toMatch(/cannot be explained/);
  });
});
