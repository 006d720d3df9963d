/** requireSale: a program that cannot sell without a fault is not rehearsed any further. */

import type { RehearsalOptions } from './options.js';
import type { CaseResult } from './play-case.js';
import { CouldNotRun } from './program.js';
import type { ProgramOutput } from './program-output.js';
import type { RuleName } from './rules.js';

/** These say why nothing was sold; other rules are broken by what was not sold, whatever the reason. */
const reasons: readonly RuleName[] = ['exact-price', 'new-nonce', 'one-key'];

/** With a receiver that takes no delivery, the other cases would wait for each event in vain. */
const ofReceiver: readonly RuleName[] = ['answers-in-5-s', 'genuine-accepted'];

/**
 * Whether the plain sale was sold through the emulator, and its event taken. If not, a finding says why.
 *
 * @throws {@link CouldNotRun} if none does
 */
export function requireSale(
  { sales: [sale], findings }: CaseResult,
  { ask, port }: RehearsalOptions,
  output: ProgramOutput,
): boolean {
  const why = whyNot(sale, ask !== undefined);
  if (why === undefined) return !findings.some(({ rule }) => ofReceiver.includes(rule));
  if (findings.some(({ rule }) => reasons.includes(rule))) return false;
  const printed = [
    ['sell', sale?.sold[0]?.output],
    ['ask', sale?.belief === undefined ? sale?.asked?.output : undefined],
  ].flatMap(([name, text = '']) => {
    const shown = output.mask(text).trim().slice(-1_000);
    return shown === '' ? [] : [`The ${name} command printed:\n${shown}`];
  });
  const reason = `The plain sale failed: ${why}. PORT was ${port}.`;
  const all = [...printed, output.tail(15)].join('\n').trimEnd();
  throw Object.assign(new CouldNotRun(reason), { printed: all });
}

function whyNot(
  sale: CaseResult['sales'][number] | undefined,
  canAsk: boolean,
): string | undefined {
  if (sale === undefined) return 'it was not played';
  const { domain, requests, orders, belief, sold, asked } = sale;
  const [first] = sold;
  const how = `the sell command ended with ${first?.how ?? 'nothing'}`;
  const order = requests.findLast(({ call }) => call === 'POST /orders');
  // A quote may be refused for its signature as an order may: no order comes then.
  const last = order ?? requests.at(-1);
  if (last === undefined) {
    return `${how}, and no POST /orders of ${domain} reached the emulator: the program must call MARKET_BASE_URL`;
  }
  if (orders.length === 0) {
    const answer = [
      last.status ?? 'no response',
      last.errorCode,
      last.reason && `(${last.reason})`,
    ];
    const said = `${last.call} was answered ${answer.filter(Boolean).join(' ')}`;
    return order === undefined ? `${said}, and no POST /orders of ${domain} came` : said;
  }
  if (first?.isOk !== true) return how;
  if (!canAsk || belief !== undefined) return undefined;
  return `--ask did not print placed, refused or open, and ended with ${asked?.how ?? 'nothing'}`;
}
