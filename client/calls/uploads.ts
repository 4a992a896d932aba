import { byteStream } from './byte-streams.ts';
import type { Body } from './transport.ts';

/** A file to upload, or what a program has of it. Anything with `stream()` is read as a file: a Blob, a File, a BunFile. */
export type Uploadable =
  | string
  | Uint8Array
  | ArrayBuffer
  | Streamable
  | AsyncIterable<Uint8Array | string>
  | ReadableStream<Uint8Array>;

interface Streamable {
  stream(): ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Shown with the import; its ending says whether it is CSV or NDJSON. */
  name?: string;
  type?: string;
}

/** The body of a form with one file, which is read once as it is sent. */
export function formOf(file: Uploadable): { contentType: string; body: Body } {
  const boundary = `everpost-${crypto.randomUUID()}`;
  const { name = 'upload', type } = file as Partial<Streamable>;
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="file"; filename="${escapeName(name)}"`,
    `Content-Type: ${type || 'application/octet-stream'}`,
  ];
  const parts = [`${head.join('\r\n')}\r\n\r\n`, `\r\n--${boundary}--\r\n`] as const;
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: enclose(file, parts) };
}

/** With a known length where the file has one; else as a stream. */
function enclose(file: Uploadable, [head, tail]: readonly [string, string]): Body {
  if (typeof file === 'string' || file instanceof ArrayBuffer || file instanceof Uint8Array || file instanceof Blob)
    return new Blob([head, file as string, tail]);
  const source = 'stream' in file ? file.stream() : file;
  return byteStream(joined(head, source, tail));
}

async function* joined(
  head: string,
  source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string>,
  tail: string,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(head);
  for await (const chunk of source instanceof ReadableStream ? chunksOf(source) : source)
    yield typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
  yield encoder.encode(tail);
}

/** Streams are not iterable in every browser. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function escapeName(name: string): string {
  const escapes: Record<string, string> = { '"': '%22', '\r': '%0D', '\n': '%0A' };
  return name.replace(/["\r\n]/g, (character) => escapes[character] ?? '');
}
