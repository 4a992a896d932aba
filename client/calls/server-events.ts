/** An event of a stream of server-sent events. Without data it only moves the position of the stream. */
export interface ServerEvent {
  id: string | undefined;
  event: string;
  data: string | undefined;
}

/** The format of https://html.spec.whatwg.org/multipage/server-sent-events.html; comments, our heartbeats, are left out. */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let fields: string[] = [];
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines.map((each) => each.replace(/\r$/, ''))) {
      if (line !== '') {
        fields.push(line);
        continue;
      }
      const event = eventOf(fields);
      fields = [];
      if (event) yield event;
    }
  }
}

function eventOf(fields: string[]): ServerEvent | null {
  const valuesOf = (name: string) =>
    fields
      .filter((field) => field.startsWith(`${name}:`))
      .map((field) => field.slice(name.length + 1).replace(/^ /, ''));
  const [id, data] = [valuesOf('id').at(-1), valuesOf('data')];
  if (id === undefined && data.length === 0) return null;
  return { id, event: valuesOf('event').at(-1) ?? 'message', data: data.length > 0 ? data.join('\n') : undefined };
}
