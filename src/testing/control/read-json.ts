/** readJson: the JSON body of a control request. */

import type { IncomingMessage } from 'node:http';
import { ByteCollector } from '../../core/byte-collector.js';
import { isRecord, parseJson } from '../../core/json.js';
import { ControlError } from './control-error.js';

const maxBodyBytes = 64 * 1_048_576;

/** Parses the body; an empty one is an object without fields. */
export async function readJson(message: IncomingMessage): Promise<unknown> {
  const collector = new ByteCollector();
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Read and drop the rest: a client that is still sending does not read the response.
    if (length <= maxBodyBytes) collector.add(chunk);
  }
  if (length > maxBodyBytes) {
    throw new ControlError(413, 'too_large', `The body is longer than ${maxBodyBytes} bytes.`);
  }
  const text = new TextDecoder().decode(collector.toBytes());
  if (text.trim() === '') return {};
  const body = parseJson(text);
  if (body === undefined) throw new TypeError('The body is not JSON.');
  if (isRecord(body)) return body;
  throw new TypeError('The body must be a JSON object.');
}
