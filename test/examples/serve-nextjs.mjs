/** Serves the routes of examples/durable/nextjs as `next start` does, on PORT. */

import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const app = new URL('../../examples/durable/nextjs/app/', import.meta.url);

createServer(async (request, response) => {
  const { method, url, headers } = request;
  try {
    const { [method]: route } = await import(new URL(`.${url}/route.js`, app).href);
    const body = method === 'POST' ? await buffer(request) : undefined;
    const result = await route(new Request(`http://127.0.0.1${url}`, { method, headers, body }));
    response.writeHead(result.status, Object.fromEntries(result.headers));
    response.end(await result.text());
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
}).listen(process.env.PORT, '127.0.0.1', () => console.log('"message":"ready"'));
