/** keepBusy: senders that use their connections without a pause, as a service and a balancer do while a program is told to end. */

import { Agent, request } from 'node:http';
import { onTestFinished } from 'vitest';

/** Resolves once each connection has had its first response. */
export async function keepBusy(urls: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  await Promise.all(urls.map((url) => start(url, agent)));
}

function start(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve) => {
    const send = () => {
      const post = request(url, { method: 'POST', agent }, (response) => {
        response.resume().on('end', () => {
          resolve();
          send();
        });
      });
      // The program has ended, or it does not take connections any longer.
      post.on('error', () => undefined);
      post.end('{}');
    };
    send();
  });
}
