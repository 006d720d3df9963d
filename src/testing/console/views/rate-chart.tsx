/** RateChart: calls and refusals of each second of the last minute. */

import { lastSeconds, type Traffic } from '../traffic.js';

const barWidth = 5;
const height = 44;

interface RateChartProps {
  readonly traffic: Traffic;
  readonly now: number;
}

export function RateChart({ traffic, now }: RateChartProps) {
  const seconds = lastSeconds(traffic, now);
  const most = Math.max(...seconds.map(({ calls }) => calls), 1);
  const calls = seconds.reduce((sum, each) => sum + each.calls, 0);
  const refusals = seconds.reduce((sum, each) => sum + each.refusals, 0);
  const text = `${calls} calls in the last minute, ${refusals} refused; at most ${most} in a second`;
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
      <svg
        role="img"
        aria-label={text}
        viewBox={`0 0 ${seconds.length * barWidth} ${height}`}
        preserveAspectRatio="none"
      >
        {bars('calls')}
        {bars('refusals')}
      </svg>
      <figcaption>
        <b class="calls">calls</b> and <b class="refusals">refusals</b>, each second of the last
        minute; at most {most}
      </figcaption>
    </figure>
  );
}
