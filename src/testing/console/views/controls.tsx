/** The parts that every view is made of: buttons, rows of a list, tables. */

import type { ComponentChildren } from 'preact';

interface ButtonProps {
  readonly onPress: () => unknown;
  readonly children: ComponentChildren;
  /** The name for screen readers, if the text is not enough. */
  readonly label?: string;
  readonly title?: string;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
  /** Whether it destroys something. */
  readonly isDanger?: boolean;
}

export function Button({
  onPress,
  children,
  label,
  title,
  isPressed,
  isDisabled,
  isDanger,
}: ButtonProps) {
  return (
    <button
      type="button"
      class={isDanger === true ? 'danger' : undefined}
      aria-label={label}
      title={title}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={() => void onPress()}
    >
      {children}
    </button>
  );
}

interface RowProps {
  /** What is listed: each kind has its columns. */
  readonly kind: 'request' | 'order' | 'event' | 'domain';
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
