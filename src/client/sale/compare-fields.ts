/** Whether a field that the service states is the one that was sent, in whatever form it states it. */

import { domainToASCII } from 'node:url';

/** Whether `stated` names a domain, in any spelling, that is not `sent`. */
export function isOtherDomain(stated: unknown, sent: string | undefined): boolean {
  if (typeof stated !== 'string' || stated === '') return false;
  if (sent === undefined || stated === sent) return false;
  return asciiDomain(stated) !== asciiDomain(sent);
}

/**
 * Compares references. `'changed'`: equal but for case and white space, or `stated` is the beginning of
 * `sent`, at least 8 characters long: a service may store it so. It may be ours, or another sale's.
 */
export function compareReference(
  stated: unknown,
  sent: string | undefined,
): 'same' | 'changed' | 'other' | 'unstated' {
  const text = typeof stated === 'number' ? String(stated) : stated;
  if (typeof text !== 'string' || sent === undefined) return 'unstated';
  if (text === sent) return 'same';
  const folded = foldReference(text);
  if (folded === '') return 'unstated';
  const ours = foldReference(sent);
  // Counted with its white space: the service may have cut what it had padded.
  const isCutOff = text.length >= shortestCut && ours.startsWith(folded);
  return folded === ours || isCutOff ? 'changed' : 'other';
}

/** A shorter beginning is shared by references that have nothing to do with each other: `pay-`. */
const shortestCut = 8;

/**
 * Without case, white space, and the marks with which a text is cut off: `payment-10...`. A run of marks is
 * tried from its first one only: from each of a long run would take time by the square of its length.
 */
function foldReference(reference: string): string {
  return reference
    .replace(/\s/g, '')
    .replace(/(?:…|(?<!\.)\.{2,}|(?<!\*)\*+)$/, '')
    .toLowerCase();
}

/** Far above the 253 characters of the longest name, in any spelling. */
const longestDomain = 1_000;

export function asciiDomain(name: string): string {
  const trimmed = name.trim().replace(/\.$/, '');
  // The time of the conversion grows by the square of the length.
  if (trimmed.length > longestDomain) return trimmed.toLowerCase();
  const ascii = domainToASCII(trimmed);
  return ascii === '' ? trimmed.toLowerCase() : ascii;
}

export function isOtherCurrency(stated: unknown, sent: string | undefined): boolean {
  if (typeof stated !== 'string' || stated === '' || sent === undefined) return false;
  return stated.trim().toUpperCase() !== sent.toUpperCase();
}
