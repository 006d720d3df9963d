/**
 * A plugin of typedoc for the site of guides and reference. It takes the guides and their groups from
 * docs/README.md, groups exports by task, offers each guide as Markdown, and writes llms.txt and
 * llms-full.txt.
 */

import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Comment,
  CommentTag,
  Converter,
  DocumentReflection,
  JSX,
  OptionDefaults,
  ReflectionKind,
  RendererEvent,
} from 'typedoc';
import { entryPoints } from '../src/entry-points.js';

const root = new URL('..', import.meta.url).pathname;

/** The groups of a module's page that come first; what only few need comes last. */
const firstTasks = [
  ...['Making calls', 'Finding domains', 'Selling domains', 'Responses and lists'],
  ...['Placing orders durably', 'Handling events durably', 'Running the emulator'],
  ...['Receiving deliveries', 'Verifying deliveries', 'Errors'],
];
const lastTasks = ['Signing', 'Logging and tracing', 'Transport and time', 'Durable engines'];

/** So many groups of the sidebar are open for a reader who has closed none. */
const openGroups = 2;

/** The first pattern that matches a file's path gives the task of the file's exports. */
const tasks = [
  [/^src\/core\/logger\.ts$|^src\/(core|client|durable)\/tracing\.ts$/, 'Logging and tracing'],
  [/^src\/core\/time\/|^src\/client\/transport\//, 'Transport and time'],
  [/^src\/client\/(client\.ts|options\/)|^src\/client\/engine\//, 'Making calls'],
  [/^src\/client\/(assumptions\.ts$|profile\/)|model\/scope\.ts$/, 'Making calls'],
  [/^src\/client\/results\/|model\/ranges\.ts$/, 'Responses and lists'],
  [
    /(resources|model)\/(domains|check-many)\.ts$|^src\/client\/display\/display-domain\.ts$/,
    'Finding domains',
  ],
  [/^src\/client\/display\//, 'Selling domains'],
  [
    /(resources|model)\/(orders|quotes|settlements|wait-for-order|resume[\w-]*)\.ts$/,
    'Selling domains',
  ],
  [/^src\/client\/sale\//, 'Selling domains'],
  [/^src\/client\/books\//, 'Comparing the books'],
  [/(resources|model)\/checkout\.ts$/, 'Hosted checkout'],
  [/(resources|model)\/brokerage\.ts$/, 'Brokerage'],
  [/(resources|model)\/referral\.ts$/, 'Referral'],
  [/resources\/events\.ts$|model\/webhook-registration\.ts$|webhooks\/events\.ts$/, 'Events'],
  [/^src\/client\/errors\/|webhooks\/verification-error\.ts$|durable\/errors\.ts$/, 'Errors'],
  [/^src\/client\/protocol\//, 'Signing'],
  [/^src\/opentelemetry\//, 'Logging and tracing'],
  [/^src\/webhooks\/handler\//, 'Receiving deliveries'],
  [/^src\/webhooks\//, 'Verifying deliveries'],
  [/^src\/durable\/inbox/, 'Handling events durably'],
  [/^src\/durable\/outbox/, 'Placing orders durably'],
  [/^src\/durable\//, 'Durable engines'],
  [/^src\/testing\/(faults\/|deliveries\/delivery-faults\.ts)/, 'Making things go wrong'],
  [/^src\/testing\/(admin|market\/)/, "Being the service's staff"],
  [/^src\/testing\//, 'Running the emulator'],
];

export function load(app) {
  app.on('bootstrapEnd', () => {
    app.options.setValue('blockTags', [...OptionDefaults.blockTags, '@assumed']);
    app.options.setValue('entryPoints', Object.values(entryPoints));
    app.options.setValue(
      'projectDocuments',
      guideNames().map((name) => `docs/${name}.md`),
    );
    app.options.setValue('categoryOrder', [
      ...headingsOfContents(),
      'Reference',
      ...orderedTasks(),
      '*',
    ]);
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    const guides = project.documents ?? [];
    arrangeGuides(guides);
    for (const entryPoint of project.getChildrenByKind(ReflectionKind.Module)) {
      for (const declared of entryPoint.children ?? []) giveTask(project, declared);
      entryPoint.name = [project.packageName, entryPoint.name].join('/').replace(/\/index$/, '');
      categorize(entryPoint, 'Reference');
    }
    requireComments(app.logger, project);
    const classes = project.getReflectionsByKind(ReflectionKind.Class);
    for (const reflection of Object.values(project.reflections)) {
      linkThrows(reflection.comment, classes);
      listThrows(reflection.comment);
      writeAssumed(reflection.comment);
    }
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    keepOrder(project);
    // The site shows the project's name above the page already.
    const [first] = project.readme ?? [];
    if (first !== undefined) first.text = first.text.replace(/^# .+\n/, '');
  });
  app.renderer.hooks.on('head.begin', openFirstGroups);
  app.renderer.hooks.on('content.begin', offerMarkdown);
  app.renderer.hooks.on('footer.begin', offerTextsForAssistants);
  app.renderer.on(RendererEvent.END, ({ outputDirectory }) => writeTexts(outputDirectory));
}

function orderedTasks() {
  const others = tasks.map(([, task]) => task).filter((task) => !lastTasks.includes(task));
  return [...new Set([...firstTasks, ...others, ...lastTasks])];
}

/** Typedoc keeps in the browser which groups are open. Its own default is none. */
function openFirstGroups() {
  const names = headingsOfContents().slice(0, openGroups);
  const html = `for (const name of ${JSON.stringify(names)}) localStorage['tsd-accordion-' + name] ??= 'true';`;
  return JSX.createElement('script', null, JSX.createElement(JSX.Raw, { html }));
}

/** The groups of docs/README.md: `## Get started` and the pages that it lists. */
function contents() {
  const [, ...groups] = readFileSync(join(root, 'docs/README.md'), 'utf8').split(/^## /m);
  return groups.map((text) => ({
    heading: text.slice(0, text.indexOf('\n')),
    pages: [...text.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, page]) => page),
  }));
}

function guideNames() {
  return contents().flatMap(({ pages }) => pages);
}

function headingsOfContents() {
  return contents().map(({ heading }) => heading);
}

/** The file of each guide's page. */
const markdownFiles = new Map();

/** Orders and groups the guides as docs/README.md does, and names each by its own heading. */
function arrangeGuides(guides) {
  guides.sort((a, b) => guideNames().indexOf(a.name) - guideNames().indexOf(b.name));
  for (const guide of guides) {
    markdownFiles.set(guide, `${guide.name}.md`);
    categorize(guide, contents().find(({ pages }) => pages.includes(guide.name)).heading);
    guide.name = /^# (.+)$/m.exec(textOf(guide))[1];
  }
}

function categorize(reflection, category) {
  reflection.comment ??= new Comment();
  reflection.comment.blockTags.push(
    new CommentTag('@category', [{ kind: 'text', text: category }]),
  );
}

/**
 * Warns of an exported function, and of a method of an exported class, without a comment. Typedoc
 * would also ask for one on each member of a structural type such as `DispatcherLike`.
 */
function requireComments(logger, project) {
  const { Function, Class } = ReflectionKind;
  const isOfClass = ({ parent }) => parent?.kindOf(Class) && !parent.flags.isExternal;
  for (const reflection of project.getReflectionsByKind(Function | ReflectionKind.Method)) {
    const isRequired = reflection.kindOf(Function) || isOfClass(reflection);
    const { signatures = [] } = reflection;
    if (isRequired && signatures.some((each) => !each.hasComment() && !each.inheritedFrom)) {
      logger.warn(`${reflection.getFriendlyFullName()} has no doc comment`);
    }
  }
}

/** `@assumed part 4.4`, the tag of a field that the specification does not name, as a sentence with links. */
function writeAssumed(comment) {
  for (const { content } of comment?.getTags('@assumed') ?? []) {
    const [, part] = /^part ([\d.]*\d)$/.exec(textOf({ content }).trim()) ?? [];
    if (part === undefined) throw new Error(`@assumed must name a part: ${textOf({ content })}`);
    const text = ` [Assumed](../documents/Assumptions.html): part ${part} of the specification does not name it.`;
    comment.summary.push({ kind: 'text', text });
  }
  comment?.removeTags('@assumed');
}

/** Typedoc sorts by name once more: restores the order of the guides and of the entry points. */
function keepOrder(project) {
  const inOrder = [...(project.documents ?? []), ...(project.children ?? [])];
  project.childrenIncludingDocuments = inOrder;
  for (const group of [...(project.groups ?? []), ...(project.categories ?? [])]) {
    group.children.sort((a, b) => inOrder.indexOf(a) - inOrder.indexOf(b));
  }
}

/** TypeScript reads the braces of `@throws {@link X}` as a type, so typedoc searches one module only. */
function linkThrows(comment, classes) {
  for (const part of (comment?.getTags('@throws') ?? []).flatMap(({ content }) => content)) {
    if (part.kind !== 'inline-tag') continue;
    part.target ??= classes.find(({ name }) => name === part.text);
    // The runtime's own errors have no page.
    if (/^(Type|Range)Error$/.test(part.text))
      Object.assign(part, { kind: 'code', text: `\`${part.text}\`` });
  }
}

/** Makes one list of several `@throws`: each would otherwise have its own heading. */
function listThrows(comment) {
  const [first, ...others] = comment?.getTags('@throws') ?? [];
  if (first === undefined || others.length === 0) return;
  first.content = [first, ...others].flatMap(({ content }) => [
    { kind: 'text', text: '\n- ' },
    ...content,
  ]);
  comment.blockTags = comment.blockTags.filter((tag) => !others.includes(tag));
}

/** Each guide as Markdown, llms.txt as it is, and llms-full.txt: the same with the text of every guide. */
function writeTexts(folder) {
  const overview = readFileSync(join(root, 'llms.txt'), 'utf8');
  const texts = guideNames().map((name) => readFileSync(join(root, `docs/${name}.md`), 'utf8'));
  writeFileSync(join(folder, 'llms.txt'), overview);
  writeFileSync(join(folder, 'llms-full.txt'), [overview, ...texts].join('\n---\n\n'));
  mkdirSync(join(folder, 'markdown'), { recursive: true });
  for (const name of guideNames()) {
    copyFileSync(join(root, `docs/${name}.md`), join(folder, `markdown/${name}.md`));
  }
}

/** On each guide: its Markdown, to read or to copy. */
function offerMarkdown(context) {
  const file = markdownFiles.get(context.page.model);
  if (file === undefined) return JSX.createElement(JSX.Fragment, null);
  const href = context.relativeURL(`markdown/${file}`);
  const copy = `fetch('${href}').then((r) => r.text()).then((t) => navigator.clipboard.writeText(t)).then(() => (this.textContent = 'Copied'))`;
  return JSX.createElement(
    'p',
    { class: 'as-markdown' },
    JSX.createElement('button', { onclick: copy }, 'Copy as Markdown'),
    JSX.createElement('a', { href }, 'View as Markdown'),
  );
}

function offerTextsForAssistants(context) {
  const link = (name) => JSX.createElement('a', { href: context.relativeURL(name) }, name);
  return JSX.createElement(
    'p',
    null,
    'For coding assistants: ',
    link('llms.txt'),
    ', and all guides in one file: ',
    link('llms-full.txt'),
  );
}

function textOf({ content }) {
  return content.map(({ text }) => text).join('');
}

function giveTask(project, declared) {
  // A re-export has its comment where it was declared.
  if (declared.isReference()) declared.comment = new Comment();
  const { packagePath = '' } = project.getSymbolIdFromReflection(targetOf(declared)) ?? {};
  const category = new CommentTag('@category', [{ kind: 'text', text: taskOf(packagePath) }]);
  for (const documented of declared.signatures ?? [declared]) {
    // Typedoc warns of an export without a comment.
    documented.comment?.blockTags.push(category.clone());
  }
}

function targetOf(declared) {
  return declared.isReference() ? declared.getTargetReflectionDeep() : declared;
}

/** An unknown file ends the build: the list above must name its task. */
function taskOf(file) {
  const task = tasks.find(([pattern]) => pattern.test(file))?.[1];
  if (task === undefined) throw new Error(`docs/typedoc-plugin.mjs knows no task for ${file}`);
  return task;
}
