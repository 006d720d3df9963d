export { MarketError, type CallFacts, type CallOutcome } from './market-error.js';
export { ConfigurationError, InvalidRequestError, type InputIssue } from './before-sending.js';
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
  type AnswerFacts,
} from './api-error.js';
export { OrderNotReachedError } from './order-not-reached.js';
export {
  AbortedError,
  ConnectionError,
  TimeoutError,
  UnexpectedResponseError,
} from './no-answer.js';
