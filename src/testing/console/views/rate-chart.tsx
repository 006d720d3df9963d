/** RateChart: calls and refusals of each second of the last minute. */

import { lastSeconds, type Traffic } from '../traffic.js';

const barWidth = 5;
const height = 30;

interface RateChartProps {
  readonly traffic: Traffic;
  readonly now: number;
}

/** Nothing if nothing came: the space is the list's. */
export function RateChart({ traffic, now }: RateChartProps) {
  const seconds = lastSeconds(traffic, now);
  const most = Math.max(...seconds.map(({ calls }) => calls));
  if (most === 0) return null;
  const calls = seconds.reduce((sum, each) => sum + each.calls, 0);
  const refusals = seconds.reduce((sum, each) => sum + each.refusals, 0);
  const text = `${calls} calls in the last minute, ${refusals} refused`;
  const bars = (name: 'calls' | 'refusals') => (
    <path
      class={name}
      d={seconds
        .map((second, at) => {
          const barHeight = Math.round((second[name] / most) * height);
          return barHeight === 0
            ? ''
            : `M${at * barWidth} ${height}v${-barHeight}h${barWidth - 1}v${barHeight}z`;
        })
        .join('')}
    />
  );
  return (
    <figure>
      <figcaption>{text}</figcaption>
      <svg
        role="img"
        aria-label={`${text}; at most ${most} in a second`}
        viewBox={`0 0 ${seconds.length * barWidth} ${height}`}
        preserveAspectRatio="none"
      >
        {bars('calls')}
        {bars('refusals')}
      </svg>
    </figure>
  );
}
