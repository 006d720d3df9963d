/** Responses that are not the service's word: those of gateways and proxies, and 500 internal_error. */

import { answers, error, json, page, type FaultCase } from './faults.js';

const failed = { end: ['InternalServerError', 'unknown'], repeated: 'harmless' } as const;
const unexpected = { end: ['UnexpectedResponseError', 'unknown'], repeated: 'none' } as const;

/** A refund or a case may have been made: 500 internal_error is not repeated there. */
export const serverErrors: Readonly<Record<string, FaultCase>> = {
  '500 before the work': { play: answers('none', () => error(500, 'internal_error')), ...failed },
  '500 after the work': { play: answers('before', () => error(500, 'internal_error')), ...failed },
  '500, and the work later': {
    play: answers('later', () => error(500, 'internal_error')),
    ...failed,
  },
};

/** A 4xx without a code: on a write nobody knows whether the service has worked. */
export const gatewayRefusals: Readonly<Record<string, FaultCase>> = {
  '404 page before the work': {
    play: answers('none', () => page(404)),
    ...unexpected,
    endOfRead: ['NotFoundError', 'rejected'],
  },
  '404 page after the work': {
    play: answers('before', () => page(404)),
    ...unexpected,
    endOfRead: ['NotFoundError', 'rejected'],
  },
  '404 without a route, and the work later': {
    play: answers('later', () => json(404, { message: 'no Route matched with those values' })),
    ...unexpected,
    endOfRead: ['NotFoundError', 'rejected'],
  },
  '403 page after the work': {
    play: answers('before', () => page(403)),
    ...unexpected,
    endOfRead: ['ForbiddenError', 'rejected'],
  },
  '400 page after the work': {
    play: answers('before', () => page(400)),
    ...unexpected,
    endOfRead: ['ValidationError', 'rejected'],
  },
  '401 without a code after the work': {
    play: answers('before', () => json(401, { message: 'Unauthorized' })),
    ...unexpected,
    endOfRead: ['AuthenticationError', 'rejected'],
  },
  '409 page after the work': {
    play: answers('before', () => page(409)),
    ...unexpected,
    endOfRead: ['ConflictError', 'rejected'],
  },
  '422 without a code after the work': {
    play: answers('before', () => json(422, { detail: 'unprocessable' })),
    ...unexpected,
    endOfRead: ['ApiError', 'rejected'],
  },
  '413 page before the work': {
    play: answers('none', () => page(413)),
    ...unexpected,
    endOfRead: ['ApiError', 'rejected'],
  },
};

/** A 200 that is no order: for the calls whose answer has a documented identifying field. */
export const impostors: Readonly<Record<string, FaultCase>> = {
  '200 {"status":"ok"} before the work': {
    play: answers('none', () => json(200, { status: 'ok' })),
    ...unexpected,
  },
  '200 {"status":"ok"} after the work': {
    play: answers('before', () => json(200, { status: 'ok' })),
    ...unexpected,
  },
  '200 with a message': {
    play: answers('none', () => json(200, { message: 'We will be back soon' })),
    ...unexpected,
  },
  '200 with an error': {
    play: answers('none', () => json(200, { code: 'internal_error', message: 'no' })),
    ...unexpected,
  },
  '200 null': { play: answers('none', () => json(200, null)), ...unexpected },
  '200 []': { play: answers('none', () => json(200, [])), ...unexpected },
  '202 accepted': { play: answers('later', () => json(202, { queued: true })), ...unexpected },
};
