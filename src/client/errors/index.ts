export { MarketError, type CallFacts, type CallOutcome } from './market-error.js';
export { ConfigurationError } from './configuration-error.js';
export { InvalidRequestError, type InputIssue } from './invalid-request-error.js';
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ForbiddenError,
  InternalServerError,
  NotFoundError,
  PriceMismatchError,
  QuoteExpiredError,
  RateLimitError,
  ValidationError,
} from './api-error.js';
export type { ErrorResponse, ResponseFacts } from './response-facts.js';
export type { ErrorCode } from './error-code.js';
export { OrderNotReachedError } from './order-not-reached-error.js';
export { AbortedError, ConnectionError, TimeoutError } from './connection-error.js';
export { UnexpectedResponseError } from './unexpected-response-error.js';
