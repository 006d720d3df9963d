// Who is measured at `orders.get`. Each loads its own library only, for it has a process of its own.

import { signByHand } from '../by-hand.cjs';

const keyId = 'mk_test_bench';
const secret = 'bench-secret';
const path = '/api/partner/v1/orders/ord_1001';
const originOf = (port) => `http://127.0.0.1:${port}`;

async function traced(port) {
  const { MarketClient } = await import('market-partner-sdk');
  const { openTelemetry } = await import('market-partner-sdk/opentelemetry');
  const tracing = openTelemetry(await import('@opentelemetry/api'));
  const market = new MarketClient({ baseUrl: originOf(port), keyId, secret, tracing });
  return () => market.orders.get('ord_1001');
}

export const contenders = {
  'market-partner-sdk': async (port) => {
    const { MarketClient } = await import('market-partner-sdk');
    const market = new MarketClient({ baseUrl: originOf(port), keyId, secret });
    return () => market.orders.get('ord_1001');
  },
  'the same, traced, no provider': (port) => traced(port),
  'the same, traced, sdk-trace-node': async (port) => {
    const { NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
    new NodeTracerProvider().register();
    return traced(port);
  },
  "undici's dispatch, signed by hand": async (port) => {
    const { Agent } = await import('undici');
    const agent = new Agent({ connections: 64 });
    const origin = originOf(port);
    return () =>
      new Promise((resolve, reject) => {
        const headers = signByHand({ method: 'GET', path, keyId, secret });
        let status = 0;
        let text = '';
        agent.dispatch(
          { origin, path, method: 'GET', headers },
          {
            onRequestStart: () => undefined,
            onResponseStart: (_controller, statusCode) => (status = statusCode),
            onResponseData: (_controller, chunk) => (text += chunk),
            onResponseEnd: () =>
              status === 200 ? resolve(JSON.parse(text)) : reject(new Error(`status ${status}`)),
            onResponseError: (_controller, error) => reject(error),
          },
        );
      });
  },
  'undici.request, signed by hand': async (port) => {
    const { Agent, request } = await import('undici');
    const dispatcher = new Agent({ connections: 64 });
    const url = originOf(port) + path;
    return async () => {
      const headers = signByHand({ method: 'GET', path, keyId, secret });
      const { statusCode, body } = await request(url, { dispatcher, headers });
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
      return body.json();
    };
  },
  'global fetch, signed by hand': (port) => {
    const url = originOf(port) + path;
    return async () => {
      const headers = signByHand({ method: 'GET', path, keyId, secret });
      const response = await fetch(url, { headers });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.json();
    };
  },
  'stripe-node': async (port) => {
    const { default: Stripe } = await import('stripe');
    const stripe = new Stripe('sk_test_bench', {
      host: '127.0.0.1',
      port,
      protocol: 'http',
      maxNetworkRetries: 0,
      telemetry: false,
    });
    return () => stripe.paymentIntents.retrieve('pi_1001');
  },
};

export const isRight = (order) => order.public_id === 'ord_1001';
