/**
 * A plugin of typedoc: groups the reference by task, names each guide by its heading and each entry
 * point as it is imported. The source is laid out by concept already, so the file in which an export
 * is declared tells its task, and no doc comment needs a tag for it.
 */

import { Comment, CommentTag, Converter, ReflectionKind } from 'typedoc';

/** The first pattern that a file's path matches gives the task of what it declares. */
const tasks = [
  [/^src\/(client|options)\.ts$|engine\/(raw-request|call-promise)\.ts$/, 'Making calls'],
  [/^src\/assumptions\.ts$|model\/scope\.ts$/, 'Making calls'],
  [/^src\/pages\/|model\/ranges\.ts$/, 'Reading lists'],
  [/(resources|model)\/domains\.ts$/, 'Finding domains'],
  [/(resources|model)\/(orders|quotes|settlements|wait-for-order)\.ts$/, 'Selling domains'],
  [/(resources|model)\/checkout\.ts$/, 'Hosted checkout'],
  [/(resources|model)\/brokerage\.ts$/, 'Brokerage'],
  [/(resources|model)\/referral\.ts$/, 'Referral'],
  [/resources\/events\.ts$|model\/webhook-registration\.ts$|webhooks\/events\.ts$/, 'Events'],
  [/^src\/errors\/|webhooks\/verification-error\.ts$/, 'Errors'],
  [/^src\/protocol\//, 'Signing'],
  [/engine\/(logger|trace)\.ts$/, 'Logging and tracing'],
  [/^src\/transport\/|engine\/service-clock\.ts$/, 'Transport and time'],
  [/^src\/webhooks\/receiver\//, 'Receiving deliveries'],
  [/^src\/webhooks\//, 'Verifying deliveries'],
  [/^src\/testing\/(faults\/|deliveries\/delivery-faults\.ts)/, 'Making things go wrong'],
  [/^src\/testing\/(admin|market\/)/, "Being the service's staff"],
  [/^src\/testing\//, 'Running the emulator'],
];

export function load(app) {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    arrangeGuides(project.documents ?? []);
    for (const entryPoint of project.getChildrenByKind(ReflectionKind.Module)) {
      for (const declared of entryPoint.children ?? []) giveTask(project, declared);
      entryPoint.name = [project.packageName, entryPoint.name].join('/').replace(/\/index$/, '');
    }
    for (const { comment } of Object.values(project.reflections)) listThrows(comment);
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    keepOrder(project);
    // The page has the project's name above it already.
    const [first] = project.readme ?? [];
    if (first !== undefined) first.text = first.text.replace(/^# .+\n/, '');
  });
}

/** In the order of the page of contents, which comes first. */
function arrangeGuides(guides) {
  const contents = guides.find(({ name }) => name === 'README');
  const order = contents === undefined ? '' : textOf(contents);
  const placeOf = ({ name }) => order.indexOf(`${name}.md`);
  guides.sort((a, b) => placeOf(a) - placeOf(b));
  for (const guide of guides) guide.name = /^# (.+)$/m.exec(textOf(guide))?.[1] ?? guide.name;
}

/** Typedoc sorts by name once more; guides keep their order, and entry points that of the options. */
function keepOrder(project) {
  const inOrder = [...(project.documents ?? []), ...(project.children ?? [])];
  project.childrenIncludingDocuments = inOrder;
  for (const group of project.groups ?? []) {
    group.children.sort((a, b) => inOrder.indexOf(a) - inOrder.indexOf(b));
  }
}

/** Several `@throws` become one list: each would otherwise have a heading of its own. */
function listThrows(comment) {
  const [first, ...others] = comment?.getTags('@throws') ?? [];
  if (first === undefined || others.length === 0) return;
  first.content = [first, ...others].flatMap(({ content }) => [
    { kind: 'text', text: '\n- ' },
    ...content,
  ]);
  comment.blockTags = comment.blockTags.filter((tag) => !others.includes(tag));
}

function textOf({ content }) {
  return content.map(({ text }) => text).join('');
}

function giveTask(project, declared) {
  // What a second entry point exports again has its comment where it was declared.
  if (declared.isReference()) declared.comment = new Comment();
  const { packagePath = '' } = project.getSymbolIdFromReflection(targetOf(declared)) ?? {};
  const category = new CommentTag('@category', [{ kind: 'text', text: taskOf(packagePath) }]);
  for (const documented of declared.signatures ?? [declared]) {
    // One without a comment stays so: typedoc then warns of it.
    documented.comment?.blockTags.push(category.clone());
  }
}

function targetOf(declared) {
  return declared.isReference() ? declared.getTargetReflectionDeep() : declared;
}

/** A file that no task is known for ends the build: the list above must have a place for it. */
function taskOf(file) {
  const task = tasks.find(([pattern]) => pattern.test(file))?.[1];
  if (task === undefined) throw new Error(`docs/typedoc-tasks.mjs knows no task for ${file}`);
  return task;
}
