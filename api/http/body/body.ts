import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { AppError, TooMuch, unavailable } from '../../../core/base/errors.ts';
import { parseJson } from '../../../core/base/text/json.ts';
import { createPool, type Pool } from '../../../platform/threads/pool.ts';
import { PICTURE_BYTES_MAX } from '../../../schemas/templates/media.ts';
import { TRANSLATIONS_FILE_MAX } from '../../../schemas/templates/translations.ts';
import type { BodyLimit } from '../endpoint.ts';
import { fromWorker, type LargeBody, type Parsed } from './json.ts';

const MIB = 1024 * 1024;
export const bodyLimits: Record<BodyLimit, number> = {
  standard: MIB,
  attachments: 60 * MIB,
  import: 100_000_000,
  picture: PICTURE_BYTES_MAX,
  texts: TRANSLATIONS_FILE_MAX,
};
/** The most that a form has around its file. */
export const FORM_BYTES_MAX = 64 * 1024;
const INLINE_PARSE_MAX = MIB;
const LARGE_BODIES_MAX = 4;
/**
 * The most bytes of large bodies in memory at a time. Decoded and stored, a body takes several times its size; a body larger than this is
 * read alone.
 */
const LARGE_BODIES_BYTES_MAX = 64 * MIB;

const large = { bodies: 0, bytes: 0 };

export interface ReadBody {
  value: unknown;
  sizeBytes: number;
  /** Of a large body, from the thread that parsed it. */
  fingerprint?: string;
  /** A large body counts until this is called, since its parsed value lives as long as the request. */
  release?: () => void;
}

interface Reading {
  limit: BodyLimit;
  required: boolean;
  path: string;
  /** The threads for large bodies; left out: those of this process. */
  pool?: JsonPool | undefined;
}

/** The parsed JSON body; undefined when the request has none. */
export async function readJsonBody(
  incoming: IncomingMessage,
  { limit, required, path, pool = jsonPool }: Reading,
): Promise<ReadBody> {
  const type = incoming.headers['content-type'];
  const hasBody =
    incoming.headers['transfer-encoding'] !== undefined || Number(incoming.headers['content-length'] ?? 0) > 0;
  if (!hasBody && !required) return { value: undefined, sizeBytes: 0 };
  checkContentType(type, hasBody || required);
  checkEncoding(incoming.headers['content-encoding']);
  const limitBytes = bodyLimits[limit];
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  if (announced > 0 && announced <= INLINE_PARSE_MAX) return readSmall(incoming);
  if (!fitsLarge(announced)) throw tooManyLarge();
  return readLimited(incoming, limitBytes, path, pool);
}

/** Most requests: Node holds the body to its Content-Length, and it is parsed inline. */
async function readSmall(incoming: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', resolve).once('error', reject);
  });
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  return { value: parseJson(bytes), sizeBytes: bytes.length };
}

async function readLimited(
  incoming: IncomingMessage,
  limitBytes: number,
  path: string,
  pool: JsonPool,
): Promise<ReadBody> {
  const announcedBytes = Number(incoming.headers['content-length'] ?? 0);
  const whole = announcedBytes > 0 ? Buffer.allocUnsafeSlow(announcedBytes) : null;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let release: (() => void) | undefined;
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
      if (sizeBytes > INLINE_PARSE_MAX) release ??= countLarge(announcedBytes || limitBytes);
      if (whole) chunk.copy(whole, sizeBytes - chunk.length);
      else chunks.push(chunk);
    }
    if (sizeBytes === 0) return { value: undefined, sizeBytes };
    const bytes = whole ?? Buffer.concat(chunks);
    if (!release) return { value: parseJson(bytes), sizeBytes };
    const asked = { method: incoming.method ?? '', path };
    const parsed = await parseInWorker(pool, bytes, asked);
    // Taking its tens of thousands of fields from the thread has filled this turn of the event loop, which ends after the first of two.
    await setImmediate();
    await setImmediate();
    return { ...parsed, sizeBytes, release };
  } catch (error) {
    release?.();
    // The rest of the body is read and dropped, so that the answer arrives and the connection stays usable.
    incoming.resume();
    throw error;
  }
}

function countLarge(bytes: number): () => void {
  if (!fitsLarge(bytes)) throw tooManyLarge();
  large.bodies += 1;
  large.bytes += bytes;
  return () => {
    large.bodies -= 1;
    large.bytes -= bytes;
  };
}

/** Asked before a body is read, too, so that a caller who is refused does not send it first. */
function fitsLarge(bytes: number): boolean {
  const fits = large.bodies === 0 || large.bytes + bytes <= LARGE_BODIES_BYTES_MAX;
  return fits && large.bodies < LARGE_BODIES_MAX;
}

function tooManyLarge(): AppError {
  return unavailable('Too many large requests are under way; send this one again in a moment.');
}

/** JSON by any of its names; the charset, when given, must be UTF-8. */
function checkContentType(header: string | undefined, needed: boolean): void {
  if (header === undefined && !needed) return;
  const [type = '', ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  const isJson = type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type);
  if (!isJson || (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8'))
    throw new AppError(
      'unsupported_media_type',
      'Send the body as JSON in UTF-8, with Content-Type: application/json.',
      {
        code: 'UNSUPPORTED_MEDIA_TYPE',
      },
    );
}

function checkEncoding(header: string | undefined): void {
  if (header !== undefined && header.toLowerCase() !== 'identity')
    throw new AppError('unsupported_media_type', 'Send the body without Content-Encoding.', {
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
}

export function tooLarge(limitBytes: number): AppError {
  return new AppError('too_large', `The body is over the limit of ${limitBytes} bytes.`, { code: 'BODY_TOO_LARGE' });
}

export type JsonPool = Pool<LargeBody, Parsed>;
const jsonPool: JsonPool = createPool('jsonBody');

async function parseInWorker(
  pool: JsonPool,
  bytes: Buffer,
  asked: LargeBody['asked'],
): Promise<ReturnType<typeof fromWorker>> {
  // A Buffer with memory of its own is transferred to the thread; a Buffer from the pool is copied.
  const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
  const size = { bytes: own.length, transfer: [own.buffer as ArrayBuffer] };
  return pool.run({ bytes: own, asked }, size).then(fromWorker, (error) => {
    if (!(error instanceof TooMuch)) throw error;
    throw error.limit === 'waiting' ? tooManyLarge() : tooMuch(error);
  });
}

function tooMuch({ message }: TooMuch): AppError {
  return new AppError('too_large', `The body is not read: ${message} Send less at a time.`, { code: 'BODY_TOO_LARGE' });
}
