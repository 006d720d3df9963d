/** prepareInput: what a call would send as its body, without sending it. */

import type { Endpoint } from '../endpoints.js';
import { checkedBody } from '../engine/check-arguments.js';
import type { Engine } from '../engine/engine.js';
import { withCallContext } from '../engine/prepare.js';
import { serializeBody } from '../input/index.js';
import type { PreparedInput } from '../model/index.js';
import { sha256Hex } from '../protocol/digest.js';

export function prepareInput<T>(engine: Engine, endpoint: Endpoint, input: T): PreparedInput<T> {
  const path = engine.pathOf(endpoint);
  try {
    const body = serializeBody(checkedBody(endpoint, input));
    return { input: JSON.parse(body) as T, body, sha256: sha256Hex(body) };
  } catch (error) {
    throw withCallContext({ method: endpoint.method, path }, error);
  }
}
