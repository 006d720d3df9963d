/** Runs in the browser: what a reader of the page would stumble over. */

/* global document, getComputedStyle, NodeFilter, window */

export function measurePage() {
  const linesOf = (text, from, to) => {
    const range = document.createRange();
    range.setStart(text, from);
    range.setEnd(text, to);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  };
  const broken = [];
  for (const cell of document.querySelectorAll('.tsd-typography :is(td, th)')) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      for (const { 0: word, index } of text.data.matchAll(/[\w.]+/g)) {
        if (linesOf(text, index, index + word.length) > 1) broken.push(word);
      }
    }
  }
  const wrapped = [...document.querySelectorAll('.tsd-typography pre code')].filter(
    (code) => getComputedStyle(code).whiteSpace !== 'pre',
  ).length;
  const tooWide = document.documentElement.scrollWidth > window.innerWidth;
  return { broken, wrapped, tooWide, words: document.body.innerText.length };
}
