import { Binary, type ObjectId } from 'mongodb';
import type { PeopleDeps } from '../deps.ts';

const CHUNK_BYTES = 1024 * 1024;

type File = { importId: ObjectId; projectId: ObjectId };

/** Stores a file in chunks as it arrives and returns its size. The chunks of a file that is cut off are removed. */
export async function keepFile(
  deps: PeopleDeps,
  { importId, projectId }: File,
  source: AsyncIterable<Uint8Array>,
): Promise<number> {
  let sizeBytes = 0;
  let number = 0;
  try {
    for await (const bytes of inPieces(source)) {
      const _id = `${importId.toHexString()}:${number}`;
      const createdAt = deps.clock.now();
      await deps.db.importChunks.insertOne({ _id, projectId, importId, number, bytes: new Binary(bytes), createdAt });
      sizeBytes += bytes.length;
      number += 1;
    }
    return sizeBytes;
  } catch (error) {
    await removeFile(deps, { importId, projectId }).catch(() => {});
    throw error;
  }
}

/** The bytes from an offset. Every chunk but the last has the same size. */
export async function* readFile(deps: PeopleDeps, { importId, projectId }: File, from: number): AsyncGenerator<Buffer> {
  let number = Math.floor(from / CHUNK_BYTES);
  let skip = from % CHUNK_BYTES;
  for (;;) {
    const chunk = await deps.db.importChunks.findOne({ _id: `${importId.toHexString()}:${number}`, projectId });
    if (!chunk) return;
    const { buffer, byteOffset, byteLength } = chunk.bytes.buffer;
    const bytes = Buffer.from(buffer, byteOffset, byteLength).subarray(0, chunk.bytes.position);
    yield skip === 0 ? bytes : bytes.subarray(skip);
    skip = 0;
    number += 1;
  }
}

export async function removeFile(deps: PeopleDeps, { importId, projectId }: File): Promise<void> {
  await deps.db.importChunks.deleteMany({ projectId, importId }, { hint: 'import' });
}

async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (let bytes of source) {
    while (length + bytes.length >= CHUNK_BYTES) {
      const head = bytes.subarray(0, CHUNK_BYTES - length);
      yield Buffer.concat([...pieces, head], CHUNK_BYTES);
      bytes = bytes.subarray(head.length);
      pieces = [];
      length = 0;
    }
    if (bytes.length > 0) pieces.push(bytes);
    length += bytes.length;
  }
  if (length > 0) yield Buffer.concat(pieces, length);
}
