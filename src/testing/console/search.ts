/** isMatch: whether something listed has the words of the search. */

/** Its text, made once: a list is drawn ten times a second. */
const texts = new WeakMap<object, string>();

/** Whether each word is somewhere in the item, in any case; everything matches no words. */
export function isMatch(item: object, search: string): boolean {
  if (search === '') return true;
  let text = texts.get(item);
  if (text === undefined) {
    text = JSON.stringify(item).toLowerCase();
    texts.set(item, text);
  }
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
