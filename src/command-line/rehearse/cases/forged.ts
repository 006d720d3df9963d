/** Deliveries that the service did not sign. */

import { pause } from '../../../core/time/sleep.js';
import type { Scene } from '../case.js';
import { finding, type Finding } from '../findings.js';
import type { Webhook } from '../webhook.js';
import { deliveredEvent, harmMs } from './deliveries.js';

const rightCheck =
  'verify the signature before you do anything else with the body, and answer 401.';

export async function forge(scene: Scene): Promise<Finding[]> {
  const { sale } = scene;
  const event = await deliveredEvent(scene);
  const { webhook } = scene as Scene & { readonly webhook: Webhook };
  const genuine = webhook.bodyOf(event);
  const order = { ...(event.data.order as object), status: 'REFUNDED' };
  const forged = webhook.bodyOf({
    ...event,
    id: `${event.id}_forged`,
    type: 'order.refunded',
    data: { order },
  });
  const attempts: readonly (readonly [
    what: string,
    body: string,
    headers: Record<string, string>,
  ])[] = [
    ['with another secret', forged, webhook.sign(forged, 'whsec_of_someone_else')],
    ['without a signature', forged, {}],
    ['with an empty signature', forged, { 'x-market-signature': '' }],
    ['with the signature of another body', forged, webhook.sign(genuine)],
    ['with no JSON in it', '{"id":', { 'x-market-signature': '0'.repeat(64) }],
  ];
  const found: Finding[] = [];
  for (const [what, body, headers] of attempts) {
    const status = await webhook.post(body, headers);
    await scene.program.up();
    if (status === undefined || status < 200 || status >= 300) continue;
    const seen = `A delivery ${what} was answered ${status}.`;
    found.push(finding('forged-refused', seen, rightCheck));
  }
  const before = sale.belief;
  await pause(harmMs);
  const belief = await sale.askAgain();
  if (belief !== before) {
    const seen = `After forged deliveries ${sale.payment} is ${String(belief)}; it was ${String(before)}.`;
    found.push(finding('forged-refused', seen, rightCheck));
  }
  return found;
}
