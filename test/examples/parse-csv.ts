/** RFC 4180 as written there, strictly: what a spreadsheet reads. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const field = /"((?:[^"]|"")*)"(,|\r\n)|([^",\r\n]*)(,|\r\n)/y;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (match === null) throw new Error(`not CSV: ${JSON.stringify(text.slice(at, at + 40))}`);
    const [, quoted, endOfQuoted, plain, endOfPlain] = match;
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if ((endOfQuoted ?? endOfPlain) === '\r\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}
