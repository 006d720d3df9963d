/** The parts that every view is made of: buttons, rows of a list, tables. */

import type { ComponentChildren } from 'preact';

interface ButtonProps {
  readonly onPress: () => unknown;
  readonly children: ComponentChildren;
  /** The name for screen readers, where the text is not enough. */
  readonly label?: string;
  readonly isPressed?: boolean;
  readonly isDisabled?: boolean;
}

export function Button({ onPress, children, label, isPressed, isDisabled }: ButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={() => void onPress()}
    >
      {children}
    </button>
  );
}

interface RowProps {
  readonly href: string;
  readonly isOpen: boolean;
  readonly children: ComponentChildren;
}

/** An entry of a list, which opens its details. */
export function Row({ href, isOpen, children }: RowProps) {
  return (
    <a class="row" href={href} aria-current={isOpen ? 'true' : undefined}>
      {children}
    </a>
  );
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
