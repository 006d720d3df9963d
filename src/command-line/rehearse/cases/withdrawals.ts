/** Cases of a buyer who withdraws. */

import { fault } from '../../../testing/faults/fault.js';
import type { FaultRequest } from '../../../testing/faults/match.js';
import { NotExercised, placedOrder, type Case, type Scene } from '../case.js';
import { arm } from '../stage.js';
import { waitUntil } from '../wait-until.js';
import { eventsTried } from './deliveries.js';

// Without --ask nothing says that the buyer was paid back.
const withdrawn = { needs: ['ask', 'withdraw'], mustBePlaced: false } as const;

export const withdrawalCases: readonly Case[] = [
  {
    ...withdrawn,
    name: 'withdrawn',
    title: 'the buyer withdraws before the domain is delivered',
    async act(scene) {
      const { sale, patienceMs, signal } = scene;
      await withdrawAfter(() => undefined)(scene);
      if (!(await waitUntil(() => sale.isRefundAsked, patienceMs, signal)))
        throw new NotExercised('after --withdraw no POST /refunds came');
    },
  },
  {
    ...withdrawn,
    name: 'withdrawn-too-late',
    title:
      'two buyers withdraw after their domains were delivered: POST /refunds gets 409, and 403',
    sells: 2,
    act: withdrawAfter(({ emulator }, publicId, at) => {
      emulator.admin.startTransfer(publicId);
      emulator.admin.completeTransfer(publicId);
      const isAbout = ({ json }: FaultRequest) =>
        (Object(json) as { public_id?: unknown }).public_id === publicId;
      const options = { code: 'refund_window_closed' };
      if (at === 1) arm(emulator, isAbout, fault.status(403, options));
    }),
  },
];

function withdrawAfter(
  prepare: (scene: Scene, publicId: string, at: number) => void,
): (scene: Scene) => Promise<void> {
  return async (scene) => {
    for (const [at, sale] of scene.sales.entries()) {
      await sale.sell();
      prepare(scene, await placedOrder(sale), at);
      await eventsTried(scene, sale);
      await sale.withdraw();
    }
  };
}
