/** Lists the mutants of a TypeScript source: small changes of meaning, each of which a test must notice. */

import ts from 'typescript';

const { SyntaxKind } = ts;

const operators = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '+=': ['-='],
  '-=': ['+='],
  '||=': ['&&='],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
};

/**
 * @param {string} source
 * @returns {{ line: number, kind: string, start: number, end: number, replacement: string, original: string }[]}
 */
export function mutantsOf(source) {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const mutants = [];
  const add = (kind, node, replacement, [start, end] = [node.getStart(), node.getEnd()]) => {
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    mutants.push({ line, kind, start, end, replacement, original: source.slice(start, end) });
  };
  visit(file);
  return mutants;

  function visit(node) {
    if (isTypeOnly(node)) return;
    mutateOperators(node, add);
    mutateConditions(node, add);
    mutateLiterals(node, add);
    removeStatements(node, add);
    ts.forEachChild(node, visit);
  }
}

/** What is erased when the program runs. */
function isTypeOnly(node) {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node)
  );
}

function mutateOperators(node, add) {
  if (!ts.isBinaryExpression(node)) return;
  const { operatorToken } = node;
  const text = operatorToken.getText();
  // Of two strings, "-" is no arithmetic but NaN: too easy to notice.
  const isText = text === '+' && [node.left, node.right].some(ts.isStringLiteralLike);
  if (isText) return;
  for (const other of operators[text] ?? []) add(`${text} is ${other}`, operatorToken, other);
}

function mutateConditions(node, add) {
  const condition =
    ts.isIfStatement(node) || ts.isWhileStatement(node)
      ? node.expression
      : ts.isConditionalExpression(node) || ts.isForStatement(node)
        ? node.condition
        : undefined;
  if (condition !== undefined) {
    add('the condition holds', condition, 'true');
    if (!ts.isForStatement(node)) add('the condition fails', condition, 'false');
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
    add('no negation', node, node.operand.getText());
  }
}

function mutateLiterals(node, add) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    if (!isPlainName(node) && !isSentence(node)) {
      add('another text', node, node.text === '' ? '"mutant"' : '""');
    }
  } else if (ts.isNumericLiteral(node)) {
    if (!isPlainName(node))
      add('another number', node, String(Number(node.text.replace(/_/g, '')) + 1));
  } else if (node.kind === SyntaxKind.TrueKeyword) add('false', node, 'false');
  else if (node.kind === SyntaxKind.FalseKeyword) add('true', node, 'true');
}

/** A message for people: the tests of messages hold those, word by word where it matters. */
function isSentence(node) {
  return node.text.trim().includes(' ');
}

/** The name of a member, or a directive. */
function isPlainName(node) {
  const { parent } = node;
  return (
    (ts.isPropertyAssignment(parent) && parent.name === node) || ts.isExpressionStatement(parent)
  );
}

function removeStatements(node, add) {
  if (ts.isExpressionStatement(node) || ts.isThrowStatement(node))
    add('a statement less', node, ';');
  if (
    ts.isReturnStatement(node) &&
    node.expression !== undefined &&
    ts.isIfStatement(node.parent)
  ) {
    add('an early return less', node, ';');
  }
}
