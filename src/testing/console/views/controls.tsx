/** The parts that every view is made of: buttons, rows of a list, tables. */

import type { ComponentChildren } from 'preact';

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
      disabled={whyDisabled !== undefined}
      onClick={() => void onPress()}
    >
      {children}
    </button>
  );
}

interface RowProps {
  /** What is listed: each kind has its columns. */
  readonly kind: 'request' | 'order' | 'event' | 'domain' | 'product';
  readonly href: string;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

/** An entry of a list, which opens its details. */
export function Row({ kind, href, isOpen, children }: RowProps) {
  return (
    <a class={`row ${kind}`} href={href} aria-current={isOpen ? 'true' : undefined}>
      {children}
    </a>
  );
}

/** What the columns of the rows are; a list too narrow for one line a row shows none. */
export function Heads({ kind, children }: Pick<RowProps, 'kind' | 'children'>) {
  return <div class={`row heads ${kind}`}>{children}</div>;
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
