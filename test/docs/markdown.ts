/** What the tests read of a Markdown page: its fenced blocks, its headings, its links. */

/** A fenced block. */
export interface Fence {
  /** The first word of the info string: `ts`, `sh`, `text`. */
  readonly language: string;
  /** What follows it. */
  readonly marks: string;
  readonly code: string;
  /** Line of the page on which the code begins, from 1. */
  readonly line: number;
  /** Anchor of the heading that it stands under. */
  readonly section: string;
}

/** A page, read. */
export interface Markdown {
  readonly fences: readonly Fence[];
  /** The anchors of its headings. */
  readonly anchors: readonly string[];
  readonly links: readonly { readonly target: string; readonly line: number }[];
}

export function readMarkdown(text: string): Markdown {
  const fences: Fence[] = [];
  const anchors: string[] = [];
  const links: { target: string; line: number }[] = [];
  let open: { info: string; line: number; code: string[] } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (open !== undefined) {
      if (fence === null) open.code.push(line);
      else {
        fences.push(toFence(open, anchors.at(-1) ?? ''));
        open = undefined;
      }
      continue;
    }
    if (fence !== null) {
      open = { info: (fence[1] ?? '').trim(), line: index + 2, code: [] };
      continue;
    }
    const heading = /^#{1,6} (.+)$/.exec(line)?.[1];
    if (heading !== undefined) anchors.push(unique(anchorOf(heading), anchors));
    for (const [, target = ''] of withoutCode(line).matchAll(/\]\(([^)\s]+)\)/g)) {
      links.push({ target, line: index + 1 });
    }
    for (const [target] of withoutCode(line).matchAll(/(?<!\()\bhttps?:\/\/[^\s)>\]]+/g)) {
      links.push({ target, line: index + 1 });
    }
  }
  if (open !== undefined) throw new Error(`the fence of line ${open.line - 1} is not closed`);
  return { fences, anchors, links };
}

function toFence(
  { info, line, code }: { info: string; line: number; code: string[] },
  section: string,
) {
  const [language = '', ...marks] = info.split(' ');
  return { language, marks: marks.join(' '), code: code.join('\n'), line, section };
}

/** The anchor that repository hosts give a heading. */
function anchorOf(heading: string): string {
  return heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

/** A heading that is there twice gets a number. */
function unique(anchor: string, taken: readonly string[]): string {
  if (!taken.includes(anchor)) return anchor;
  for (let count = 1; ; count += 1) {
    if (!taken.includes(`${anchor}-${count}`)) return `${anchor}-${count}`;
  }
}

/** Code in a line: what stands in it is no link. */
function withoutCode(line: string): string {
  return line.replace(/`[^`]*`/g, '');
}
