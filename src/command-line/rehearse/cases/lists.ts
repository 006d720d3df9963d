/** Cases in which the list of orders lies while the outcome of an order is unknown. */

import { fault, type Fault } from '../../../testing/faults/fault.js';
import type { FaultRequest } from '../../../testing/faults/match.js';
import { domainOf } from '../ledger.js';
import { pause } from '../../../time/sleep.js';
import { arm } from '../stage.js';
import type { Case, Scene } from '../case.js';

/** More than a client's own retries, so that the program must read the list. */
const lostResponses = 4;

/** No one could sell through a service whose list lies forever. */
const lieMs = 10_000;

const words = ['has_more', 'timed_out', 'errors', 'data'] as const;

export const listCases: readonly Case[] = [
  {
    name: 'stale-list',
    title: 'the response is lost, and a cache shows the list of before (with its Age)',
    arrange: (scene) => loseAndLie(scene, fault.staleList({ ageSeconds: 300 })),
  },
  {
    name: 'partial-list',
    title: 'the response is lost, and the list lacks the order and says that it is partial',
    arrange: (scene) =>
      loseAndLie(scene, fault.partialList(words[scene.random(words.length)] ?? 'partial')),
  },
];

/** The order is recorded at once, and from then on nothing shows it for a while. */
function loseAndLie({ emulator, sale, signal }: Scene, lie: Fault): void {
  sale.onOrder(fault.resetAfterWork(), { times: lostResponses });
  const mayShowIt = (request: FaultRequest) =>
    request.endpoint === 'GET /orders' && [sale.domain, undefined].includes(domainOf(request));
  sale.beforeFirstOrder(() => {
    const tellTheTruth = arm(emulator, mayShowIt, lie);
    void pause(lieMs, [signal]).then(tellTheTruth, tellTheTruth);
  });
}
