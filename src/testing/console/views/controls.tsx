/** The parts that every view is made of: buttons, lists and their rows, tables. */

import { createContext, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { fragmentOf } from '../route.js';

interface ButtonProps {
  readonly onPress: () => unknown;
  readonly children: ComponentChildren;
  /** The name for screen readers, if the text is not enough. */
  readonly label?: string;
  readonly title?: string;
  readonly isPressed?: boolean;
  /** It is disabled if there is a reason. */
  readonly whyDisabled?: string | undefined;
  /** Whether it destroys something. */
  readonly isDanger?: boolean;
}

export function Button({
  onPress,
  children,
  label,
  title,
  isPressed,
  whyDisabled,
  isDanger,
}: ButtonProps) {
  return (
    <button
      type="button"
      class={isDanger === true ? 'danger' : undefined}
      aria-label={label}
      title={whyDisabled ?? title}
      aria-pressed={isPressed}
      // A button that is `disabled` loses the focus when it has been pressed.
      aria-disabled={whyDisabled !== undefined}
      onClick={() => whyDisabled ?? void onPress()}
    >
      {children}
    </button>
  );
}

/** The fragment of the details that are open: each row finds out by itself whether it is theirs. */
export const OpenDetails = createContext('');

interface RowProps {
  /** What is listed, in the tab of that name: each kind has its columns. */
  readonly kind: 'request' | 'order' | 'event' | 'domain' | 'product';
  readonly id: string;
  readonly children: ComponentChildren;
}

/** An entry of a list, which opens its details. */
export function Row({ kind, id, children }: RowProps) {
  const href = fragmentOf(`${kind}s`, id);
  const isOpen = href === useContext(OpenDetails);
  return (
    <a class={`row ${kind}`} href={href} aria-current={isOpen ? 'true' : undefined}>
      {children}
    </a>
  );
}

const numberColumns = ['Price', 'Clicks', 'Time'];

interface ListProps extends Pick<RowProps, 'kind' | 'children'> {
  readonly columns: readonly string[];
}

/** Rows below the names of their columns, which a list too narrow for one line a row does not show. */
export function List({ kind, columns, children }: ListProps) {
  return (
    <>
      <div class={`row heads ${kind}`}>
        {columns.map((column) => (
          <span key={column} class={numberColumns.includes(column) ? 'number' : undefined}>
            {column}
          </span>
        ))}
      </div>
      <ul>{children}</ul>
    </>
  );
}

/** A state as a word with a dot: color and shape only repeat what the word says. */
export function State({ name }: { readonly name: string }) {
  return <span class={`state ${name.replace(' ', '-')}`}>{name}</span>;
}

interface TableProps {
  readonly title: string;
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}

/** A table that is wider than a phone scrolls by itself, by the keyboard too. */
export function Table({ title, columns, children }: TableProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={title}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
