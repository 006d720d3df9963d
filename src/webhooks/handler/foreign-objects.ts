/** Names the objects of a framework that a receiver passes in place of those of node or of fetch. */

/**
 * What was passed to `handler.node`, and what a response can be sent by all the same; undefined if both are
 * objects of node, or imitate what is used of them.
 */
export function notNodeObjects(request: unknown, response: unknown) {
  if (!isNodeResponse(response)) {
    const inside = [member(response, 'raw'), member(response, 'res'), member(request, 'res')];
    const message = `handler.node got ${describeResponse(response, request)}`;
    return { message, response: inside.find(isNodeResponse) };
  }
  if (hasFunction(request, 'on')) return undefined;
  const message = `handler.node got ${describeRequest(request)} in place of node's request.`;
  return { message, response };
}

/** A sentence; undefined if it is a fetch request, or imitates what is used of one. */
export function notFetchRequest(request: unknown): string | undefined {
  const headers = member(request, 'headers');
  if (typeof headers === 'object' && headers !== null && !hasFunction(request, 'on')) {
    return undefined;
  }
  return `handler.fetch got ${describeRequest(request)} in place of a fetch Request.`;
}

function describeResponse(response: unknown, request: unknown): string {
  const missing = "in place of node's response";
  if (isNodeResponse(member(response, 'raw'))) {
    return `a framework's reply ${missing}. Pass request.raw and reply.raw.`;
  }
  if (isNodeResponse(member(response, 'res'))) {
    return `a framework's context ${missing}. Pass its req and res.`;
  }
  if (hasFunction(member(response, 'headers'), 'get')) {
    return `a fetch Response ${missing}. Use handler.fetch, which returns one.`;
  }
  if (!hasFunction(request, 'on')) {
    return `${describeRequest(request)}, and ${nameOf(response)} ${missing}.`;
  }
  return `${nameOf(response)} ${missing}. Pass both, handler.node(request, response).`;
}

function describeRequest(request: unknown): string {
  const has = (name: string) => member(request, name) !== undefined;
  if (hasFunction(request, 'on')) return 'a request of node (use handler.node)';
  if (hasFunction(member(request, 'headers'), 'get')) return 'a fetch Request (use handler.fetch)';
  if (has('httpMethod') || has('requestContext')) return 'an event of Lambda (use handler.lambda)';
  if (has('raw')) return "a framework's request (pass request.raw)";
  if (has('req')) {
    const inner = member(member(request, 'req'), 'raw') === undefined ? 'req' : 'req.raw';
    return `a framework's context (pass context.${inner})`;
  }
  if (has('request')) return "a framework's context (pass context.request)";
  return nameOf(request);
}

function isNodeResponse(value: unknown): boolean {
  return hasFunction(value, 'setHeader') && hasFunction(value, 'end');
}

function nameOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return typeof value === 'object' ? 'another object' : `a ${typeof value}`;
}

/** Not by `instanceof`: a test environment may have an `Error` of its own. */
export function messageOf(error: unknown, unlessStated: string): string {
  const message = member(error, 'message');
  return typeof message === 'string' ? message : unlessStated;
}

export function hasFunction(value: unknown, name: string): boolean {
  return typeof member(value, name) === 'function';
}

/**
 * Undefined too if reading it throws, as it may in the imitation of an object: Vercel's `body` does for what is
 * not JSON.
 */
export function member(value: unknown, name: string): unknown {
  try {
    return (Object(value) as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}
