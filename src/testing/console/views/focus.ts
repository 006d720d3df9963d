/** Where the keyboard's focus goes: to details that open, back to the row when they close. */

import { parseRoute } from '../route.js';

/** Whether details are open that have not been loaded. */
let isLate = false;

export function focusAfterNavigation(from: string, to: string): void {
  const isOpen = parseRoute(to).id !== undefined;
  const target = document.querySelector<HTMLElement>(
    isOpen ? '.details h2' : `.list a[href="${CSS.escape(from)}"]`,
  );
  isLate = isOpen && target === null;
  target?.focus();
}

/** For the heading of details: they may be loaded after the navigation. */
export function focusLateDetails(heading: HTMLElement | null): void {
  if (isLate) heading?.focus();
  isLate &&= heading === null;
}

/** For the tab that is opened: on a phone the tabs scroll. */
export function scrollToTab(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

/** The arrow keys move between the rows of a list. */
export function moveBetweenRows(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const { currentTarget: list } = event;
  if (step === 0 || !(list instanceof HTMLElement)) return;
  const rows = [...list.querySelectorAll<HTMLElement>('a[href]')];
  const row = rows[rows.findIndex((each) => each === document.activeElement) + step];
  if (row === undefined) return;
  event.preventDefault();
  row.focus();
}

/** `/` goes to the search, as in other tools; not while something is typed. */
export function focusSearch(event: KeyboardEvent): void {
  const { target } = event;
  const isTyping = target instanceof HTMLElement && target.matches('input, select, textarea');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const search = document.querySelector<HTMLInputElement>('input[type=search]');
  if (search === null) return;
  event.preventDefault();
  search.focus();
}
