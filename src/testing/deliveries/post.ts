import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** A receiver may answer at length; nobody reads that. */
const maxAnswerBytes = 65_536;

/** What came of one POST. */
export interface PostResult {
  readonly status: number | undefined;
  readonly error: string | undefined;
}

/** Posts a body and waits for the whole answer, at most so long. Never rejects, follows nothing. */
export function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PostResult> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? requestHttps : requestHttp;
    const request = send(url, {
      method: 'POST',
      agent: false,
      signal,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    const timer = setTimeout(
      () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const finish = (result: PostResult) => {
      clearTimeout(timer);
      resolve(result);
    };
    request.once('error', ({ message }) => finish({ status: undefined, error: message }));
    request.once('response', (response) => {
      let received = 0;
      response.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxAnswerBytes) request.destroy(new Error('the answer is too long'));
      });
      response.once('error', ({ message }) => finish({ status: undefined, error: message }));
      response.once('end', () => finish({ status: response.statusCode, error: undefined }));
    });
    request.end(body);
  });
}
