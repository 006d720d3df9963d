/** Snippets through the TypeScript compiler: checked with the repository's own options, and made runnable. */

import { join } from 'node:path';
import ts from 'typescript';
import { root } from './pages.js';
import type { Program } from './programs.js';

/** What a reader copies: a program of the docs, or a file, checked where it lies with what it imports. */
export interface Checked {
  readonly language: Program['language'];
  /** Stands before its errors. */
  readonly name: string;
  readonly path: string;
  /** Absent for a file. */
  readonly text?: string;
}

export function programAsChecked(program: Program, index: number): Checked {
  const { language, name } = program;
  return { language, name, path: `docs/snippet-${index}.${language}`, text: textOf(program) };
}

/** Type errors by page and line. Those of a language are checked at once: the compiler reads the source once. */
export function typeErrors(checked: readonly Checked[]): string[] {
  return (['ts', 'js'] as const).flatMap((language) =>
    typeErrorsOf(
      checked.filter((each) => each.language === language),
      language,
    ),
  );
}

function typeErrorsOf(checked: readonly Checked[], language: Program['language']): string[] {
  const fileOf = ({ path }: Checked) => `${root.replaceAll('\\', '/')}${path}`;
  const sources = new Map(checked.map((each) => [fileOf(each), each.text]));
  // JavaScript is checked by what its comments say, and by what it calls.
  const forJs = language === 'js' ? { checkJs: true, noImplicitAny: false } : {};
  const options = { ...compilerOptions(), ...forJs };
  const host = ts.createCompilerHost(options);
  const disk = { ...host };
  host.fileExists = (file) => sources.has(file) || disk.fileExists(file);
  host.readFile = (file) => sources.get(file) ?? disk.readFile(file);
  host.getSourceFile = (file, languageVersionOrOptions, ...others) => {
    const text = sources.get(file);
    return text === undefined
      ? disk.getSourceFile(file, languageVersionOrOptions, ...others)
      : ts.createSourceFile(file, text, languageVersionOrOptions);
  };
  const compiled = ts.createProgram([...sources.keys()], options, host);
  return checked.flatMap((each) => {
    const source = compiled.getSourceFile(fileOf(each));
    if (source === undefined) throw new Error(`${each.path} was not read`);
    // A snippet ends where its point is made: what it names last may be used by the reader alone.
    const mayBeUnused = each.text !== undefined;
    return [...compiled.getSyntacticDiagnostics(source), ...compiled.getSemanticDiagnostics(source)]
      .filter(({ reportsUnnecessary }) => !(mayBeUnused && Boolean(reportsUnnecessary)))
      .map((diagnostic) => describe(diagnostic, source, each));
  });
}

/**
 * The program as the body of an async function, with `require` for its imports. `part(n)` is called
 * before the n-th of its parts.
 */
export function runnable(program: Program): string {
  const text = program.parts.map(({ code }, index) => `__part(${index});\n${code}`).join('\n');
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: true,
    },
  });
  return outputText;
}

/** The modules that a program imports. */
export function importsOf(program: Program): string[] {
  return ts.preProcessFile(textOf(program)).importedFiles.map(({ fileName }) => fileName);
}

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) =>
    ts.sys.readFile(file),
  ) as {
    config: unknown;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  // pg-boss and BullMQ are installed only for the tests of the engines; without them, what the
  // snippets call.
  const engines = ['pg-boss', 'bullmq'].map((name) => [
    name,
    [`./test/durable/servers/node_modules/${name}`, `./test/docs/${name}.d.ts`],
  ]);
  const standIns = {
    'node:sqlite': ['./test/docs/node-sqlite.d.ts'],
    stripe: ['./test/docs/stripe.d.ts'],
  };
  const paths = { ...options.paths, ...Object.fromEntries(engines), ...standIns };
  return { ...options, paths };
}

function textOf({ parts }: Program): string {
  return parts.map(({ code }) => code).join('\n');
}

function describe(diagnostic: ts.Diagnostic, source: ts.SourceFile, { name }: Checked): string {
  const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ');
  const { line } = source.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
  return `${name} +${line}: TS${diagnostic.code} ${message} | ${source.text.split('\n')[line] ?? ''}`;
}
