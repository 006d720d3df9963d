/** What the forms share: a labelled field, and the values of a form that is sent. */

import type { ComponentChildren } from 'preact';

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

/** The text of each field by its name. The page sends them itself: no form leaves it. */
export function fieldsOf(
  event: SubmitEvent & { readonly currentTarget: EventTarget & HTMLFormElement },
): Partial<Record<string, string>> {
  event.preventDefault();
  return Object.fromEntries(new FormData(event.currentTarget)) as Partial<Record<string, string>>;
}
