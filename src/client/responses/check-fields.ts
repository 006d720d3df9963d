/**
 * Checks the documented fields of a record, and those that are assumed: these may be absent, and are a problem if
 * they have another type. The record itself is never changed.
 */

import { isRecord } from '../../core/json.js';
import type { Endpoint, FieldKind } from '../endpoints.js';
import { fieldsOf, type KnownKind, type RecordName } from '../record-fields.js';

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

/** The assumed fields that a record has, with another type than this package's types say. */
export function findOtherKinds(
  record: Readonly<Record<string, unknown>>,
  name: RecordName,
  documents: Endpoint['documentedFields'],
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const fields = fieldsOf(name);
  for (const field in fields) {
    const value = record[field];
    const kind = fields[field] ?? 'any';
    if (value === undefined || value === null || isOfKind(kind, value)) continue;
    if (documents.some(([documented]) => documented === field)) continue;
    problems.push({ field, message: `is ${kindOf(value)}, not ${assumedKinds[kind]}` });
  }
  return problems;
}

function isOfKind(kind: KnownKind, value: unknown): boolean {
  switch (kind) {
    case 'text':
    case 'date':
      return typeof value === 'string';
    case 'amount':
    case 'count':
      return Number.isInteger(value);
    case 'list':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'any':
      return true;
    default:
      return typeof value === kind;
  }
}

const assumedKinds: Record<KnownKind, string> = {
  text: 'a string',
  date: 'a date in ISO 8601',
  amount: 'a whole number of minor units',
  count: 'a whole number',
  number: 'a number',
  boolean: 'a boolean',
  object: 'an object',
  list: 'an array',
  any: 'anything',
};

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
