/** readEntries: server-sent events from the body of a response. */

export interface StreamEntry {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** The entries of each piece that arrives; comments and other fields are left out. */
export async function* readEntries(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamEntry[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      const entries = blocks.flatMap(parseEntry);
      if (entries.length > 0) yield entries;
    }
  } finally {
    // Without it the connection stays open when the page stops reading.
    await reader.cancel().catch(() => undefined);
  }
}

function parseEntry(block: string): StreamEntry[] {
  const fields = new Map(
    block.split('\n').map((line): [string, string] => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return [];
  const [id = '', event = ''] = [fields.get('id'), fields.get('event')];
  return [{ id, event, data: JSON.parse(data) as unknown }];
}
