/** The case in which the list of orders lies while the outcome of an order is unknown. */

import { fault, type Fault } from '../../../testing/faults/fault.js';
import type { FaultRequest } from '../../../testing/faults/match.js';
import { domainOf } from '../ledger.js';
import { sleep } from '../../../core/time/sleep.js';
import { arm } from '../stage.js';
import type { Case, Scene } from '../case.js';

/** No one could sell through a service whose list lies forever: how long it does once it is read. */
const lieMs = 8_000;

/** A program that reads no list has sent its order again and again by then. */
const unreadMs = 12_000;

export const listCases: readonly Case[] = [
  {
    name: 'stale-list',
    title: 'the response is lost, and a cache shows the list of before (with its Age)',
    arrange: (scene) => loseAndLie(scene, fault.staleList({ ageSeconds: 300 })),
  },
];

/** The order is recorded at once, and from then on nothing shows it for a while. */
function loseAndLie({ emulator, sale, signal }: Scene, lie: Fault): void {
  // However often the client sends it again, so that the list must be read.
  const respond = sale.onOrder(fault.resetAfterWork());
  let endLie: (() => void) | undefined;
  const endAfter = (ms: number) =>
    void sleep(ms, signal).then(() => {
      respond();
      endLie?.();
    });
  let isRead = false;
  const mayShowIt = (request: FaultRequest) => {
    if (request.endpoint !== 'GET /orders') return false;
    if (![sale.domain, undefined].includes(domainOf(request))) return false;
    if (!isRead) endAfter(lieMs);
    isRead = true;
    return true;
  };
  sale.beforeFirstOrder(() => {
    endLie = arm(emulator, mayShowIt, lie);
    endAfter(unreadMs);
  });
}
