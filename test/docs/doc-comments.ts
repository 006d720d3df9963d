/** The examples in the doc comments of src, found in the syntax tree. */

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { readMarkdown } from './markdown.js';
import { root } from './pages.js';
import type { Program } from './programs.js';

/** Every example of every doc comment, as a program of its own. */
export function examplePrograms(): Program[] {
  return ts.sys
    .readDirectory(join(root, 'src'), ['.ts'])
    .sort()
    .flatMap((file) => examplesOf(file, relative(root, file).replaceAll('\\', '/')));
}

function examplesOf(file: string, path: string): Program[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const programs: Program[] = [];
  const visit = (node: ts.Node): void => {
    const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
    // A declaration's comment hangs on its statement, and is found from both.
    for (const doc of docs.filter(({ parent }) => parent === node)) {
      const { line } = source.getLineAndCharacterOfPosition(doc.pos);
      for (const fence of readMarkdown(withoutStars(doc.getText(source))).fences) {
        const place = `${path} ${nameOf(node)}`;
        programs.push({
          name: `${place} (line ${line + fence.line})`,
          language: 'ts',
          places: ['doc comments', place],
          parts: [{ code: fence.code, line: line + fence.line }],
        });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return programs;
}

function withoutStars(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*(\/\*\*|\*\/|\* ?)/, ''))
    .join('\n');
}

function nameOf(node: ts.Node): string {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.map(({ name }) => name.getText()).join(', ');
  }
  const own = (node as Partial<ts.NamedDeclaration>).name?.getText() ?? '';
  const owner = ts.isClassLike(node.parent) ? (node.parent.name?.text ?? '') : '';
  return owner === '' ? own : `${owner}.${own}`;
}
