import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageAt, pages, root } from './pages.js';

const { name, scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  name: string;
  scripts: Record<string, string>;
};

const commands = pages.flatMap(({ path, fences }) =>
  fences
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.split(/\n|&&/))
    .map((command) => command.trim())
    .filter((command) => command !== '')
    .map((command) => ({ path, command })),
);

describe('the commands of the pages', () => {
  it.each(commands)('$command of $path can be run', ({ command }) => {
    expect(problemOf(command)).toBeUndefined();
  });

  it('include the two of the README, word for word', () => {
    const { fences } = pageAt('README.md');
    const blocks = fences.filter(({ language }) => language === 'sh').map(({ code }) => code);
    expect(blocks).toContain('npm install && npm run quickstart');
    expect(blocks).toContain('npm install && npm test');
  });
});

function problemOf(command: string): string | undefined {
  const [program = '', first = '', second = ''] = command.split(/\s+/);
  if (program === 'npm' && first === 'install') {
    return ['', name].includes(second) ? undefined : `installs ${second}`;
  }
  if (program === 'npm' && (first === 'run' || first === 'test')) {
    const script = first === 'test' ? 'test' : second;
    return Object.hasOwn(scripts, script) ? undefined : `there is no script ${script}`;
  }
  if (program === 'node') {
    return existsSync(join(root, first)) ? undefined : `there is no file ${first}`;
  }
  return `${program} is not known to this test`;
}
