/** The case of a history that cannot be read for a moment, for a program that reads it every few seconds. */

import { fault } from '../../../testing/faults/fault.js';
import { NotApplicable, type Case, type Scene } from '../case.js';
import { finding, timeOf, type Finding, type SeenRequest } from '../findings.js';
import { arm } from '../stage.js';
import { waitUntil } from '../wait-until.js';

/** The pages of one poll follow each other faster. */
const pageMs = 400;

/** A rhythm is heard in its last polls, a slow one over a longer time; one that is slower still would take too long. */
const heardMs = [30_000, 60_000] as const;
const slowestPollMs = 11_000;

/** The cases that play beside take longer. */
const unheardMs = 8_000;
const fewestPauses = 3;
const leastEven = 0.75;

/** A client repeats a read by itself; what comes later is another poll. */
const repeatsMs = 2_000;

export const pollCases: readonly Case[] = [
  {
    name: 'history-fails',
    title: 'the history responds 500 to one poll of a program that polls every few seconds',
    sells: 0,
    turn: 'beside',
    act: () => Promise.resolve(),
    expect: failOnePoll,
  },
];

async function failOnePoll({ emulator, ledger, patienceMs, signal }: Scene): Promise<Finding[]> {
  const polls = () => ledger.requestsOf(undefined).filter(({ call }) => call === 'GET /events');
  const rhythm = () => {
    const times = polls().map(({ at }) => at);
    return rhythmOf(times, heardMs[0]) ?? rhythmOf(times, heardMs[1]);
  };
  await waitUntil(() => rhythm() !== undefined, unheardMs, signal);
  const everyMs = rhythm();
  if (everyMs === undefined) {
    throw new NotApplicable('the program does not poll the history every few seconds');
  }
  const startedAt = Date.now();
  const disarm = arm(emulator, 'GET /events', fault.internalError());
  const failed = () => polls().find(({ at, status }) => at >= startedAt && status === 500);
  const nextAfter = ({ at }: SeenRequest) => polls().some((each) => each.at > at + repeatsMs);
  await waitUntil(() => failed() !== undefined, 2 * slowestPollMs, signal);
  const first = failed();
  const isOver = () => first !== undefined && Date.now() > first.at + repeatsMs;
  await waitUntil(isOver, repeatsMs, signal);
  disarm();
  if (first === undefined) return [];
  // A program may pause for longer after a failure.
  if (await waitUntil(() => nextAfter(first), patienceMs, signal)) return [];
  const seen = `GET /events came every ${Math.round(everyMs / 1_000)} s, got 500 internal_error at ${timeOf(first.at)}, and has not come since, for ${Math.round((Date.now() - first.at) / 1_000)} s. Right: a poll that fails is tried again at the next turn, or each later event whose delivery is lost is missed.`;
  return [finding('event-handled', seen, [first])];
}

/** How far apart the latest polls were, in milliseconds; `undefined` if that was irregular or too far. */
function rhythmOf(times: readonly number[], sinceMs: number): number | undefined {
  const starts = times.filter(
    (at, index) => at > Date.now() - sinceMs && at - (times[index - 1] ?? 0) > pageMs,
  );
  const pauses = starts.slice(1).map((at, index) => at - (starts[index] ?? at));
  const middle = [...pauses].sort((a, b) => a - b)[Math.floor(pauses.length / 2)];
  if (middle === undefined || middle > slowestPollMs || pauses.length < fewestPauses)
    return undefined;
  // A 429 or a busy machine holds back one or another. Reads after deliveries have no rhythm.
  const isEven = (ms: number) => ms >= middle / 2 && ms <= 2 * middle + pageMs;
  return pauses.filter(isEven).length >= leastEven * pauses.length ? middle : undefined;
}
