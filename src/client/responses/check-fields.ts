/**
 * Checks only the documented fields of a record: what the specification does not name
 * may be present or not. The record itself is never changed.
 */

import { isRecord } from '../../core/json.js';
import type { Endpoint, FieldKind } from '../endpoints.js';

/** A documented field that a response lacks, or has with another type. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export function findFieldProblems(
  record: unknown,
  documents: Endpoint['documentedFields'],
): FieldProblem[] {
  if (documents.length === 0) return [];
  if (!isRecord(record)) return [{ field: '', message: `is ${kindOf(record)}, not an object` }];
  const problems: FieldProblem[] = [];
  for (const [field, kind] of documents) {
    const value = record[field];
    if (isOf(kind, value)) continue;
    const message =
      value === undefined ? 'is missing' : `is ${kindOf(value)}, not ${article[kind]}`;
    problems.push({ field, message });
  }
  return problems;
}

function isOf(kind: FieldKind, value: unknown): boolean {
  switch (kind) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'object':
      return isRecord(value);
    default:
      return typeof value === kind;
  }
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    return 'a number beyond 2^53, which JSON rounds';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a fraction';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

const article: Record<FieldKind, string> = {
  string: 'a string',
  integer: 'an integer',
  boolean: 'a boolean',
  object: 'an object',
};
