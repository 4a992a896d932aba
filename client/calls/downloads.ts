import { byteStream } from './byte-streams.ts';
import { type Opened, readChunks } from './transport.ts';

/** A file as it arrives. It can be read once: by `for await`, as `stream` or as `text()`. A download that is cut off fails with NETWORK. */
export class Download implements AsyncIterable<Uint8Array> {
  readonly contentType: string;
  readonly fileName: string | null;
  readonly #chunks: AsyncGenerator<Uint8Array>;

  constructor(opened: Opened) {
    const { headers } = opened.response;
    // Its time runs only while a piece is awaited.
    opened.deadline.rest();
    this.contentType = headers.get('content-type') ?? 'application/octet-stream';
    this.fileName = /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? null;
    this.#chunks = readChunks(opened);
  }

  [Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    return this.#chunks;
  }

  get stream(): ReadableStream<Uint8Array> {
    return byteStream(this.#chunks);
  }

  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of this.#chunks) text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  }
}
