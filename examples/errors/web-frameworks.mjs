// The status that a visitor gets for an error of the client, in each framework: copy the one of yours.

import { MarketError, NotFoundError, RateLimitError } from 'market-partner-sdk';

function statusFor(error) {
  if (error instanceof NotFoundError) return 404;
  return error instanceof RateLimitError ? 503 : 500;
}

// Express 4 and 5: app.use(onExpressError) after the routes, and after Sentry's handler.
export function onExpressError(error, _request, response, next) {
  if (!(error instanceof MarketError)) return next(error);
  console.error(error);
  response.sendStatus(statusFor(error));
}

// Koa: app.use(catchKoaError) before the routes.
export async function catchKoaError(context, next) {
  try {
    await next();
  } catch (error) {
    if (!(error instanceof MarketError)) throw error;
    context.status = statusFor(error);
    context.app.emit('error', error, context);
  }
}

// Fastify: app.setErrorHandler(onFastifyError).
export function onFastifyError(error, request, reply) {
  if (!(error instanceof MarketError)) return reply.send(error);
  request.log.error(error);
  return reply.code(statusFor(error)).send();
}

// Hono: app.onError(onHonoError).
export function onHonoError(error, context) {
  if ('getResponse' in error) return error.getResponse();
  console.error(error);
  return context.body(null, statusFor(error));
}

// hapi: server.ext('onPreResponse', onHapiResponse). hapi makes a Boom of the error in place.
export function onHapiResponse({ response }, h) {
  if (!(response instanceof MarketError)) return h.continue;
  console.error(response);
  return h.response().code(statusFor(response));
}

// Nest: app.useGlobalFilters(new MarketErrorFilter()), with @Catch(MarketError) above the class.
export class MarketErrorFilter {
  catch(error, host) {
    console.error(error);
    const response = host.switchToHttp().getResponse();
    response.status(statusFor(error)).send();
  }
}
