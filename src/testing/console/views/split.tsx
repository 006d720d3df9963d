/** Split: a list next to the details of one entry; on a phone, one of the two. */

import type { ComponentChildren } from 'preact';
import { fragmentOf, type Tab } from '../route.js';
import { focusLateDetails, moveBetweenRows } from './focus.js';

interface SplitProps {
  readonly tab: Tab;
  readonly label: string;
  readonly list: ComponentChildren;
  /** The heading of the details that are open. */
  readonly title: string | undefined;
  readonly details: ComponentChildren;
}

export function Split({ tab, label, list, title, details }: SplitProps) {
  const close = (event: KeyboardEvent) => {
    if (event.key === 'Escape') location.hash = fragmentOf(tab);
  };
  return (
    <div class={title === undefined ? 'split' : 'split open'}>
      <section class="list" aria-label={label} onKeyDown={moveBetweenRows}>
        {list}
      </section>
      {title !== undefined && (
        <section class="details" aria-label={title} onKeyDown={close}>
          <a class="close" href={fragmentOf(tab)}>
            Close
          </a>
          <h2 tabIndex={-1} ref={focusLateDetails}>
            {title}
          </h2>
          {details}
        </section>
      )}
    </div>
  );
}
