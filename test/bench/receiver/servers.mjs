// The receivers that `npm run bench -- receiver` compares. Each is a listener for node:http that
// verifies a delivery, runs a function with the event and answers 200.

export const secret = 'whsec_bench_secret';

const handled = () => Promise.resolve();

export const servers = {
  createWebhookHandler: () => ours({}),
  'createWebhookHandler, deduplicate': () => ours({ deduplicate: true }),
  'node:http + stripe constructEvent': async () => {
    const { default: Stripe } = await import('stripe');
    const { webhooks } = new Stripe('sk_test_bench');
    return byHand((body, headers) =>
      webhooks.constructEvent(body, headers['stripe-signature'], secret),
    );
  },
  'node:http + verifyWebhook': async () => {
    const { verifyWebhook } = await import('market-partner-sdk/webhooks');
    return byHand((body, headers) => verifyWebhook(body, headers, secret));
  },
};

async function ours(options) {
  const { createWebhookHandler } = await import('market-partner-sdk/webhooks');
  return createWebhookHandler({ secret, on: { 'order.settled': handled }, ...options }).node;
}

/** As the documentation of payment services shows it: collect, verify, handle, answer. */
function byHand(verify) {
  return (request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      try {
        await handled(verify(Buffer.concat(chunks), request.headers));
        response.writeHead(200, { 'content-type': 'text/plain' }).end('OK');
      } catch {
        response.writeHead(401).end();
      }
    });
  };
}
