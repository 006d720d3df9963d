/** keepBusy: senders that use their connections without a pause, as a service and a balancer do while a program is told to end. */

import { Agent, request } from 'node:http';
import { onTestFinished, type TestContext } from 'vitest';

/**
 * Resolves once each connection has had its first response.
 *
 * @param atEnd - the test's own, where others run at the same time
 */
export async function keepBusy(
  urls: readonly string[],
  atEnd: TestContext['onTestFinished'] = onTestFinished,
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  atEnd(() => agent.destroy());
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
