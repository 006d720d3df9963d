/** requireSale: a program that cannot sell without a fault is not rehearsed at all. */

import type { RehearsalOptions } from './options.js';
import type { CaseResult } from './play-case.js';
import { CouldNotRun } from './program.js';
import type { ProgramOutput } from './program-output.js';

/** @throws {@link CouldNotRun} unless the plain sale was sold through the emulator */
export function requireSale(
  { sales: [sale] }: CaseResult,
  { ask, port }: RehearsalOptions,
  output: ProgramOutput,
): void {
  const why = whyNot(sale, ask !== undefined);
  if (why === undefined) return;
  const printed = [
    ['sell', sale?.sold[0]?.output],
    ['ask', sale?.belief === undefined ? sale?.asked?.output : undefined],
  ].flatMap(([name, text = '']) => {
    const shown = output.mask(text).trim().slice(-1_000);
    return shown === '' ? [] : [`The ${name} command printed:\n${shown}`];
  });
  const lines = [`The plain sale failed: ${why}. PORT was ${port}.`, ...printed, output.tail(15)];
  throw new CouldNotRun(lines.join('\n').trimEnd());
}

function whyNot(
  sale: CaseResult['sales'][number] | undefined,
  canAsk: boolean,
): string | undefined {
  if (sale === undefined) return 'it was not played';
  const { domain, requests, orders, belief, sold, asked } = sale;
  const [first] = sold;
  const how = `the sell command ended with ${first?.how ?? 'nothing'}`;
  const last = requests.findLast(({ call }) => call === 'POST /orders');
  if (last === undefined) {
    return `${how}, and no POST /orders of ${domain} reached the emulator: the program must call MARKET_BASE_URL`;
  }
  if (orders.length === 0) {
    return `POST /orders was answered ${String(last.status)} ${last.errorCode ?? ''}`.trimEnd();
  }
  if (first?.isOk !== true) return how;
  if (!canAsk || belief !== undefined) return undefined;
  return `--ask did not print placed, refused or open: it ended with ${asked?.how ?? 'nothing'}`;
}
