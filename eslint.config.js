import tseslint from 'typescript-eslint';

/** What CONTRIBUTING.md says of comments, as far as a machine can see it. */
const comments = {
  rules: {
    'file-header': {
      create: (context) => ({
        Program(node) {
          const first = context.sourceCode.getAllComments().find(({ type }) => type !== 'Shebang');
          const isHeader = first?.type === 'Block' && first.value.startsWith('*');
          if (isHeader && first.range[1] <= (node.body[0]?.range[0] ?? Infinity)) return;
          context.report({ node, message: 'Say in a first comment what this file exports.' });
        },
      }),
    },
    'jsdoc-dialect': {
      create: (context) => ({
        Program() {
          for (const comment of context.sourceCode.getAllComments()) {
            if (/@throws (?!\{@link |the signal's reason)/.test(comment.value)) {
              context.report({ loc: comment.loc, message: 'Write "@throws {@link Name} when …".' });
            }
            if (/@param (\{|\S+ (?!- ))/.test(comment.value)) {
              context.report({ loc: comment.loc, message: 'Write "@param name - lower case".' });
            }
          }
        },
      }),
    },
  },
};

const abbreviations =
  'arr attr buf cb cfg conf ctx cur desc el evt fn idx impl len msg num obj opt opts prev ref req ' +
  'res resp sig str tmp ts val';

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'coverage/',
      'docs/reference/',
      'node_modules/',
      'test/packages/consumer.ts',
      'test/packages/two-versions.ts',
      'test/webhooks/frameworks/**/*.ts',
    ],
  },
  {
    files: ['src/**/*.{ts,tsx}', 'test/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      // What was caught may be passed on as it is.
      '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { comments },
    rules: {
      'comments/jsdoc-dialect': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ObjectExpression > SpreadElement > ObjectExpression',
          message: 'Write the properties of the inner object in the outer one.',
        },
        {
          selector: 'MemberExpression[object.name="URL"][property.name="canParse"]',
          message:
            'Call parseUrl: Node 20 refuses letters such as "ü" once it has optimised the call.',
        },
      ],
      'id-denylist': ['error', ...abbreviations.split(' ')],
      '@typescript-eslint/naming-convention': [
        'error',
        // Not "camelCase": the fields of the wire keep their names.
        { selector: 'variable', format: null, custom: { regex: '^[A-Z0-9_]+$', match: false } },
        { selector: 'function', format: ['camelCase'] },
        { selector: 'typeLike', format: ['PascalCase'] },
      ],
    },
  },
  {
    // A component is a function that JSX tells from an element by its first letter.
    files: ['src/**/*.tsx'],
    rules: {
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'function', format: ['camelCase', 'PascalCase'] },
      ],
    },
  },
  {
    // An index is a list of names.
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/**/index.ts'],
    plugins: { comments },
    rules: { 'comments/file-header': 'error' },
  },
  {
    // Tests hand over what the types forbid, on purpose.
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
);
