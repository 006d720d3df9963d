// One table per question, on standard output and nowhere else.

export function table(question, headings, rows) {
  const lines = [headings, ...rows.map((row) => row.map(String))];
  const widths = headings.map((_heading, column) =>
    Math.max(...lines.map((line) => line[column].length)),
  );
  const write = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |`;
  console.log(`\n### ${question}\n`);
  console.log(write(headings));
  console.log(`| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  for (const row of lines.slice(1)) console.log(write(row));
}

export const times = (ratio) => `${ratio.toFixed(2)} x`;
export const whole = (number) => Math.round(number).toLocaleString('en-GB').replaceAll(',', ' ');
