/** Route: one row of the control API, and what its rows share. */

import type { Admin } from '../admin.js';
import type { EmulatorState, StatefulParts } from '../emulator-state.js';
import type { FieldTypes, Values } from './fields.js';

/** The emulator as the control API sees it. */
export interface ControlTarget extends StatefulParts {
  readonly admin: Admin;
  readonly state: EmulatorState;
  readonly baseUrl: () => string;
  /** Writes the snapshot to the file of `--state`; `undefined` without one. */
  readonly saveState: (() => Promise<void>) | undefined;
}

/** One row: method and path, the fields of its body, and what it does. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** Path after `/_emulator/v1`, with placeholders in braces. */
  readonly path: string;
  readonly fields: FieldTypes;
  readonly run: (call: RouteCall) => unknown;
}

interface RouteCall<Params = Readonly<Record<string, string>>> {
  readonly target: ControlTarget;
  readonly params: Params;
  readonly query: URLSearchParams;
  readonly body: Values;
}

/** `{ orderId: string }` for `/orders/{orderId}`. */
type ParamsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Readonly<Record<Name, string>> & ParamsOf<Rest>
  : unknown;

type Run<Path extends string> = (call: RouteCall<ParamsOf<Path>>) => unknown;

/** A row that changes nothing. */
export function read<Path extends string>(path: Path, run: Run<Path>): Route {
  return { method: 'GET', path, fields: {}, run: run as Route['run'] };
}

/** A row that changes something; its body has these fields. */
export function write<Path extends string>(path: Path, fields: FieldTypes, run: Run<Path>): Route {
  return { method: 'POST', path, fields, run: run as Route['run'] };
}
