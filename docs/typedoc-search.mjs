/**
 * A plugin of typedoc for the site's search: each heading of a guide is a result of its own, guides come
 * before symbols, exported names before the members of types, and a method is found as a program calls it.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import {
  DeclarationReflection,
  DocumentReflection,
  IndexEvent,
  ReflectionKind,
  RendererEvent,
} from 'typedoc';

/** Who searches for `retry` wants the guide. A name that is searched in full still wins. */
const boosts = { guide: 40, exported: 1, call: 10, member: 0.1 };

/** What the guides call the objects whose methods a program calls. */
const variables = {
  market: 'MarketClient',
  outbox: 'OrderOutbox',
  inbox: 'EventInbox',
  emulator: 'MarketEmulator',
};

/** By the groups of docs/README.md, in the order in which a reader needs them. */
const guideBoosts = { Sell: 4, 'Test and operate': 2 };

/** Of use to somebody who writes an engine, and to nobody else. */
const engineBoost = 0.2;

/** The results that typedoc has no page for. */
const urls = new Map();

/** Where each call must lead. */
const calls = new Map();

export function load(app) {
  app.renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    checkAnchors(outputDirectory);
    checkCalls(outputDirectory);
  });
  app.renderer.on(IndexEvent.PREPARE_INDEX, (event) => {
    const { router } = app.renderer;
    const urlOf = router.getFullUrl.bind(router);
    router.getFullUrl = (target) => urls.get(target) ?? urlOf(target);
    for (const [at, reflection] of [...event.searchResults].entries()) {
      if (!reflection.isDocument()) {
        reflection.relevanceBoost = boostOf(reflection);
        continue;
      }
      const boost = boosts.guide * (guideBoosts[categoryOf(reflection)] ?? 1);
      reflection.relevanceBoost = boost;
      const [introduction, ...sections] = sectionsOf(reflection);
      Object.assign(event.searchFields[at], {
        name: wordsOf(reflection.name),
        document: introduction.text,
      });
      for (const { heading, anchor, text } of sections) {
        const name = `${reflection.name}: ${heading}`;
        const result = new DocumentReflection(
          name,
          reflection.project,
          [{ kind: 'text', text }],
          {},
        );
        result.relevanceBoost = boost;
        urls.set(result, `${urlOf(reflection)}#${anchor}`);
        event.searchResults.push(result);
        event.searchFields.push({ name: wordsOf(heading) });
      }
    }
    for (const { method, name } of callsOf(event.searchResults[0].project)) {
      const result = new DeclarationReflection(name, method.kind, method.project);
      result.relevanceBoost = boosts.call;
      urls.set(result, urlOf(method));
      calls.set(name, urlOf(method));
      event.searchResults.push(result);
      event.searchFields.push({ name });
    }
  });
}

/** `orders.create` and `market.orders.create`: each method as a program calls it. */
function callsOf(project) {
  const types = project.getReflectionsByKind(ReflectionKind.ClassOrInterface);
  return Object.entries(variables).flatMap(([variable, typeName]) => {
    const type = types.find(({ name }) => name === typeName);
    if (type === undefined) throw new Error(`the search knows no type ${typeName}`);
    const own = methodsOf(type).map((method) => ({ method, name: `${variable}.${method.name}` }));
    const inner = type.children.flatMap((property) =>
      methodsOf(property.type?.reflection).flatMap((method) => {
        const name = `${property.name}.${method.name}`;
        return [name, `${variable}.${name}`].map((each) => ({ method, name: each }));
      }),
    );
    return [...own, ...inner];
  });
}

function methodsOf(type) {
  const methods = type?.children?.filter((each) => each.kindOf(ReflectionKind.Method)) ?? [];
  return methods.filter(({ name, flags }) => /^\w+$/.test(name) && !flags.isExternal);
}

/** Searches for each call as the page does: the first result must be the method's reference. */
function checkCalls(folder) {
  const lunr = createRequire(import.meta.resolve('typedoc'))('lunr');
  const text = readFileSync(join(folder, 'assets/search.js'), 'utf8');
  const packed = Buffer.from(/"(.*)"/.exec(text)[1], 'base64');
  const { rows, index } = JSON.parse(inflateSync(packed));
  const search = lunr.Index.load(index);
  const scoreOf = ({ ref, score }, name) => {
    const row = rows[ref].name.toLowerCase();
    const isBegin = row.startsWith(name.toLowerCase());
    return isBegin ? (score * 10) / (1 + Math.abs(row.length - name.length)) : score;
  };
  for (const [name, url] of calls) {
    const found = search.search(`*${name}*`);
    const [best] = found.sort((a, b) => scoreOf(b, name) - scoreOf(a, name));
    if (best !== undefined && rows[best.ref].url === url) continue;
    const what = best === undefined ? 'nothing' : rows[best.ref].url;
    throw new Error(`the search for ${name} finds ${what}, and not ${url}`);
  }
}

function checkAnchors(folder) {
  for (const url of urls.values()) {
    const [page, anchor] = url.split('#');
    if (readFileSync(join(folder, page), 'utf8').includes(` id="${anchor}"`)) continue;
    throw new Error(`the search leads to ${url}, and the page has no such heading`);
  }
}

function boostOf(reflection) {
  const isExported = reflection.parent?.kindOf(ReflectionKind.Module) === true;
  const boost = isExported ? boosts.exported : boosts.member;
  const category = categoryOf(isExported ? reflection : reflection.parent);
  return category === 'Durable engines' ? boost * engineBoost : boost;
}

function categoryOf({ comment }) {
  return comment?.getTags('@category')[0]?.content[0]?.text;
}

/** The search has no stems: who searches for `retry` is to find "Retries". */
function wordsOf(name) {
  return name.replace(/(\w+)ies\b/g, '$1ies $1y');
}

/** The text before the first heading of the second level, then each heading with its text. */
function sectionsOf({ content }) {
  const sections = [{ text: '' }];
  const seen = new Map();
  let isCode = false;
  for (const line of content
    .map(({ text }) => text)
    .join('')
    .split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    // A name that snippets use would lead to any of them.
    if (isCode) continue;
    const [, heading] = /^#{2,4} (.+)$/.exec(line) ?? [];
    if (heading === undefined) {
      sections.at(-1).text += `${line}\n`;
      continue;
    }
    const plain = heading.replaceAll(/[`*_]|\[|\]\(.*?\)/g, '');
    sections.push({ heading: plain, anchor: anchorOf(plain, seen), text: '' });
  }
  return sections;
}

/** As typedoc's own anchors of headings: a link to one that is not there ends the build. */
function anchorOf(heading, seen) {
  const slug = heading
    .toLowerCase()
    .trim()
    .replace(/[\u2000-\u206F\u2E00-\u2E7F\\'!"#$%&()*+,./:;<=>?@[\]^`{|}~]/g, '')
    .replace(/\s/g, '-')
    .replace(/--+/, '-');
  const count = seen.get(slug) ?? 0;
  seen.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}
