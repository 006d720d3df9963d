/** Forms, and what they share: a labelled field, and a choice. */

import type { ComponentChildren } from 'preact';
import type { FormFields } from '../fault-calls.js';

interface FormProps {
  readonly class?: 'line';
  readonly label?: string;
  readonly onSend: (fields: FormFields) => unknown;
  readonly children: ComponentChildren;
}

/** The page sends what its forms hold: no form leaves it. */
export function Form({ class: layout, label, onSend, children }: FormProps) {
  return (
    <form
      class={layout}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void onSend(Object.fromEntries(new FormData(event.currentTarget)) as FormFields);
      }}
    >
      {children}
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

export function Field({ label, children }: FieldProps) {
  return (
    <label>
      <span>{label}</span>
      {children}
    </label>
  );
}

interface OptionsProps {
  readonly values: readonly string[];
  readonly name: string;
  /** What stands for an empty value; none unless given. */
  readonly empty?: string;
}

export function Select({ values, name, empty }: OptionsProps) {
  return (
    <select name={name}>
      {empty !== undefined && <option value="">{empty}</option>}
      {values.map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  );
}
