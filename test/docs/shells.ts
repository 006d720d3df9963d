/** How each shell reads a command; what it would read as anything but words is an error. */

type Shell = (command: string) => readonly string[];

/** Outside of quotes, and inside of double quotes: what is more than its own character. */
interface Rules {
  readonly quotes: string;
  readonly bare: RegExp;
  readonly quoted: RegExp;
}

function shell(name: string, { quotes, bare, quoted }: Rules): Shell {
  return (command) => {
    const words: string[] = [];
    let word: string | undefined;
    let open = '';
    const refuse = (character: string, where: string): never => {
      throw new Error(`${name} reads ${character} ${where} as more than itself`);
    };
    for (const character of command) {
      if (open !== '') {
        if (character === open) open = '';
        else if (open === '"' && quoted.test(character)) refuse(character, 'in double quotes');
        else word = `${word ?? ''}${character}`;
      } else if (quotes.includes(character)) {
        open = character;
        word ??= '';
      } else if (character === ' ') {
        if (word !== undefined) words.push(word);
        word = undefined;
      } else {
        if (bare.test(character)) refuse(character, 'outside of quotes');
        word = `${word ?? ''}${character}`;
      }
    }
    if (open !== '') throw new Error(`${name} waits for the end of ${open}`);
    if (word !== undefined) words.push(word);
    return words;
  };
}

const posix = shell('sh', {
  quotes: `"'`,
  bare: /[\\$`;&|<>(){}*?#~!\n]/,
  quoted: /[\\$`!]/,
});

/** A single quote is a character like any other; `%` begins a variable everywhere. */
const cmd = shell('cmd.exe', { quotes: '"', bare: /[&|<>()^%\n]/, quoted: /[%\\]/ });

/** A comma makes an array, braces a block, `@` before a bracket a list. */
const powershell = shell('PowerShell', {
  quotes: `"'`,
  bare: /[`$;&|<>(){},#\u2018\u2019\u201c\u201d\n]/,
  quoted: /[`$\u201c\u201d]/,
});

/** The words of a command, if every shell reads the same. */
export function wordsInEveryShell(command: string): readonly string[] {
  const [words, ...others] = [posix, cmd, powershell].map((read) => read(command));
  for (const other of others) {
    if (JSON.stringify(other) !== JSON.stringify(words)) {
      throw new Error(`${JSON.stringify(words)} in sh is ${JSON.stringify(other)} elsewhere`);
    }
  }
  // Windows PowerShell drops a double quote within an argument.
  if (words?.some((word) => word.includes('"'))) throw new Error('an argument has a double quote');
  return words ?? [];
}
