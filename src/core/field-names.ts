/** intendedName: the documented name that a misspelled one was meant to be. */

/** Far above the longest documented name; comparing a megabyte would take minutes. */
const maxNameLength = 100;

/** Names within two edits of a documented one that are words of their own. */
const otherWords = new Set(['county']);

/**
 * The documented name that `name` most likely misspells; `undefined` if it is another name.
 *
 * Case, spaces, underscores and hyphens never count. Beyond that a name may differ in two edits, or
 * in one where the documented name has four or five letters. If `isPresent` says that the input has
 * the documented name too, `name` is not a misspelling of it.
 */
export function intendedName(
  name: string,
  documented: readonly string[],
  isPresent: (documentedName: string) => boolean = () => false,
): string | undefined {
  if (name.length > maxNameLength) return undefined;
  const plain = normalizedName(name);
  const sameLetters = documented.find((candidate) => normalizedName(candidate) === plain);
  if (sameLetters !== undefined || otherWords.has(plain)) return sameLetters;
  let nearest: string | undefined;
  let fewestEdits = Infinity;
  for (const candidate of documented) {
    if (isPresent(candidate) || hasExtraWord(name, candidate)) continue;
    const edits = editsBetween(plain, normalizedName(candidate));
    if (edits < fewestEdits) [nearest, fewestEdits] = [candidate, edits];
  }
  return nearest;
}

/** A name without case, spaces, underscores and hyphens: one for `timeoutMs` and `timeout_ms`. */
export function normalizedName(name: string): string {
  return name.replace(/[\s_-]/g, '').toLowerCase();
}

/** Whether a name is a documented one with words added: `domain_id` is no misspelling of `domain`. */
function hasExtraWord(name: string, documented: string): boolean {
  const words = wordsOf(name);
  const documentedWords = wordsOf(documented);
  return (
    words.length > documentedWords.length && documentedWords.every((word) => words.includes(word))
  );
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split(/[\s_-]+/);
}

/** The edits from one name to the other; Infinity if they are too many for a misspelling. */
function editsBetween(name: string, documented: string): number {
  const shorter = Math.min(name.length, documented.length);
  if (shorter < 4 || Math.abs(name.length - documented.length) > 2) return Infinity;
  const edits = editDistance(name, documented);
  if (edits <= 1) return edits;
  // People seldom misspell the first letter: "note_id" is not "quote_id".
  return edits === 2 && documented.length > 5 && name.startsWith(documented.charAt(0))
    ? 2
    : Infinity;
}

/** Optimal string alignment: insert, delete or replace a letter, or swap two neighbours. */
function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replace = cell(rows, row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swap = row > 1 && column > 1 && isSwap ? cell(rows, row - 2, column - 2) + 1 : Infinity;
      const insert = (current[column - 1] ?? Infinity) + 1;
      current.push(Math.min(replace, swap, insert, cell(rows, row - 1, column) + 1));
    }
    rows.push(current);
  }
  return cell(rows, a.length, b.length);
}

function cell(rows: readonly (readonly number[])[], row: number, column: number): number {
  return rows[row]?.[column] ?? Infinity;
}
