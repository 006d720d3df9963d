/** Route: one row of the control API, and what its rows share. */

import type { Admin } from '../admin.js';
import type { EmulatorState } from '../emulator-state.js';
import type { Parts } from '../parts.js';
import type { Fields, ValuesOf } from '../values.js';

/** The emulator as the control API sees it. */
export interface ControlTarget extends Parts {
  readonly admin: Admin;
  readonly state: EmulatorState;
  /** The emulator as the caller of this route reaches it. */
  readonly baseUrl: string;
  /** Writes the snapshot to the file of `--state`; `undefined` without one. */
  readonly saveState: (() => Promise<void>) | undefined;
}

/** One row: method and path, the fields of its query or body, and what it does. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Path after `/_emulator/v1`, with placeholders in braces. */
  readonly path: string;
  /** What it does, in words. */
  readonly summary: string;
  /** Of the query of a GET, and of the body of a POST. Made when they are first needed. */
  readonly fields: () => Fields;
  readonly run: (target: ControlTarget, input: Readonly<Record<string, unknown>>) => unknown;
}

/** `{ publicId: string }` for `/orders/{publicId}`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string>> & ParamsOf<Rest>
  : unknown;

/** @param input - the placeholders of the path and the checked fields */
type Run<Path extends string, Shape extends Fields> = (
  target: ControlTarget,
  input: ParamsOf<Path> & ValuesOf<Shape>,
) => unknown;

const routeOf =
  (method: Route['method']) =>
  <Path extends string, Shape extends Fields>(
    path: Path,
    summary: string,
    fields: () => Shape,
    run: Run<Path, Shape>,
  ): Route => ({ method, path, summary, fields, run: run as Route['run'] });

/** A row that changes nothing; its query has these fields. */
export const read = routeOf('GET');

/** A row that changes something; its body has these fields. */
export const write = routeOf('POST');

/** For a row without fields. */
export const nothing = () => ({});
