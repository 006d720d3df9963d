import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/command-line/main.js';
import { pageAt, pages, root } from './pages.js';
import { wordsInEveryShell } from './shells.js';

const { name, scripts, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string;
  scripts: Record<string, string>;
  bin: Record<string, string>;
};

/** `npx market-partner-sdk …` in a sentence. One that ends with the sign for "and so on" is left out. */
const inSentences = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/`(npx market-partner-sdk [^`]+[^`…])`/g)].map(([, command = '']) => ({
    path,
    command: command.replace(/\s+/g, ' '),
  })),
);

const commands = pages.flatMap(({ path, fences }) =>
  fences
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.split('\n'))
    // The two lines for a clone: one line does all. Windows PowerShell 5 alone has no "&&".
    .flatMap((line) => (path === 'README.md' ? line.split(' && ') : [line]))
    .map((command) => command.trim())
    .filter((command) => command !== '')
    .map((command) => ({ path, command })),
);

/** The last line of a command's own help. */
const names = (await emulatorCommand('--help')).out.matchAll(/^ {2}([a-z]+) /gm);
const inHelp = await Promise.all(
  [...names].map(async ([, name = '']) => {
    const { out } = await emulatorCommand(name, '--help');
    return { name, command: /Example: (.+)/.exec(out.replace(/\n {2,}/g, ' '))?.[1] };
  }),
);

describe('the shells', () => {
  it.each([
    "npx market-partner-sdk clock advance '11 minutes'",
    'cp examples/{sqlite,sell}.mjs .',
    'npm install && npm test',
    'npx market-partner-sdk emulator --env > emulator.env',
    String.raw`curl localhost:3000 --json "{\"domain\":1}"`,
    'node sell.mjs "$DOMAIN"',
    'npx market-partner-sdk doctor --scopes search,buy',
    'echo %PATH%',
    'npx market-partner-sdk clock advance "11 minutes',
  ])('do not agree on %s', (command) => {
    expect(() => wordsInEveryShell(command)).toThrow();
  });

  it('agree on double quotes', () => {
    const command = 'npx x --sell "http://localhost/?a={a}&b=1" -- node --env-file=.env a.mjs ""';
    const words = ['npx', 'x', '--sell', 'http://localhost/?a={a}&b=1', '--', 'node'];
    expect(wordsInEveryShell(command)).toEqual([...words, '--env-file=.env', 'a.mjs', '']);
  });

  it.each(inHelp)('agree on the example of $name', ({ name, command }) => {
    if (command === undefined) expect(name).toBe('help');
    else expect(wordsInEveryShell(command).length).toBeGreaterThan(1);
  });
});

describe('the commands of the pages', () => {
  it.each([...commands, ...inSentences])('$command of $path can be run', async ({ command }) => {
    expect(await problemOf(command)).toBeUndefined();
  });

  it('include the two of the README, word for word', () => {
    const { fences } = pageAt('README.md');
    const blocks = fences.filter(({ language }) => language === 'sh').map(({ code }) => code);
    expect(blocks).toContain('npm install && npm run quickstart');
    expect(blocks).toContain('npm install && npm run test:all');
  });

  it('print what the page of testing shows, but for the port', async () => {
    const { fences } = pageAt('docs/testing.md');
    const shown = fences.find(({ code }) => code.startsWith('The emulator listens'))?.code ?? '';
    const { code, out } = await emulatorCommand('emulator', '--port', '0');
    expect(code).toBe(0);
    const begins = shown.replace(
      /(?<=127\.0\.0\.1:)\d+/,
      /127\.0\.0\.1:(\d+)/.exec(out)?.[1] ?? '',
    );
    expect(out.slice(0, begins.length)).toBe(begins);
  });
});

/** Runs the package's own command, which stops as soon as it has started. */
async function emulatorCommand(...args: string[]) {
  let out = '';
  let err = '';
  const code = await runCommandLine(args, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    stop: AbortSignal.abort(),
  });
  return { code, out, err };
}

async function problemOf(command: string): Promise<string | undefined> {
  const [program = '', first = '', second = '', ...others] = wordsInEveryShell(command);
  if (program === 'npm' && first === 'install') {
    const server = ['hono', '@hono/node-server'];
    const known = ['', name, ...server, 'pg', 'pg-boss', 'mysql2', 'better-sqlite3'];
    const unknown = [second, ...others].filter(
      (each) => !known.includes(each.replace(/@\d+$/, '')),
    );
    return unknown.length === 0 ? undefined : `installs ${unknown.join(', ')}`;
  }
  // The test of the walk through the guides sends them.
  if (program === 'curl') return undefined;
  if (program === 'npm' && (first === 'run' || first === 'test')) {
    const script = first === 'test' ? 'test' : second;
    return Object.hasOwn(scripts, script) ? undefined : `there is no script ${script}`;
  }
  if (program === 'node') {
    const argument = first.startsWith('--') ? second : first;
    const file = argument.replace(`node_modules/${name}/`, '');
    // What the pages call the reader's own program, and those that the reader copied.
    const places = [file, `examples/go-live/${file}`].map((place) => join(root, place));
    return file === 'first.mjs' || places.some(existsSync) ? undefined : `there is no file ${file}`;
  }
  if (program === 'npx') {
    if (!Object.hasOwn(bin, first)) return `there is no command ${first}`;
    // It reads all arguments before it gives its help; what follows `--` is for another program.
    const end = others.includes('--') ? others.indexOf('--') : others.length;
    const own = [...others.slice(0, end), '--help', ...others.slice(end)];
    const { code, err } = await emulatorCommand(second, ...own);
    return code === 0 ? undefined : err;
  }
  return `${program} is not known to this test`;
}
