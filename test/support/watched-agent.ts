/** A real undici agent that tells a test how far an exchange has come, so that it can act right then. */

import { Agent, type Dispatcher } from 'undici';
import { onTestFinished } from 'vitest';

type Moment = 'dispatched' | 'started' | 'head' | 'data';

/** Calls `at` at each moment of each request; the agent is ended with the test. */
export function watchedAgent(at: (moment: Moment) => void): Dispatcher {
  const agent = new Agent({ connections: 4 });
  onTestFinished(() => agent.destroy());
  return agent.compose((dispatch) => (options, handler) => {
    const watched: Dispatcher.DispatchHandler = {
      onRequestStart(...facts) {
        at('started');
        handler.onRequestStart?.(...facts);
      },
      onResponseStart(...facts) {
        handler.onResponseStart?.(...facts);
        at('head');
      },
      onResponseData(...facts) {
        handler.onResponseData?.(...facts);
        at('data');
      },
      onResponseEnd: (...facts) => handler.onResponseEnd?.(...facts),
      onResponseError: (...facts) => handler.onResponseError?.(...facts),
    };
    const accepted = dispatch(options, watched);
    at('dispatched');
    return accepted;
  });
}
