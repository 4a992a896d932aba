/** One event of a stream of server-sent events. */
export interface ServerEvent {
  id: string | undefined;
  event: string;
  data: string;
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

/** An event without data is none. */
function eventOf(fields: string[]): ServerEvent | null {
  const valuesOf = (name: string) =>
    fields
      .filter((field) => field.startsWith(`${name}:`))
      .map((field) => field.slice(name.length + 1).replace(/^ /, ''));
  const data = valuesOf('data');
  if (data.length === 0) return null;
  return { id: valuesOf('id').at(-1), event: valuesOf('event').at(-1) ?? 'message', data: data.join('\n') };
}
