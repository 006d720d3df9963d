/** Facts: names with their values; a value that is not there has no row. */

import type { ComponentChildren } from 'preact';

export type Fact = readonly [name: string, value: ComponentChildren];

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl>
      {facts
        .filter(([, value]) => ![null, undefined, false, ''].some((nothing) => value === nothing))
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
