import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import busboy from 'busboy';
import { AppError, invalid, unavailable } from '../../../core/base/errors.ts';
import { FORM_TYPE } from '../../../schemas/people/imports.ts';
import type { BodyLimit } from '../endpoint.ts';
import { bodyLimits, tooLarge } from './body.ts';

interface Upload {
  /** Must be read to its end; throws when the upload is too large or is cut off. */
  file: AsyncIterable<Uint8Array>;
  /** The other fields of the form; complete when the file has been read. */
  described: Promise<UploadDescription>;
}

export interface UploadDescription {
  fileName: string | null;
  contentType: string;
  fields: Record<string, string>;
}

/** Of one kind: files of contacts on slow lines do not keep pictures waiting. */
const UPLOADS_MAX = 4;
const uploads = new Map<BodyLimit, number>();

/** Calls `use` with the upload. Only the piece that has just arrived is held in memory. */
export async function withUpload<T>(
  incoming: IncomingMessage,
  limit: BodyLimit,
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  const limitBytes = bodyLimits[limit];
  const underWay = () => uploads.get(limit) ?? 0;
  if (underWay() >= UPLOADS_MAX) throw unavailable('Too many uploads are under way; send this one again in a moment.');
  uploads.set(limit, underWay() + 1);
  try {
    const contentType = incoming.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
    const isForm = contentType === FORM_TYPE;
    return await use(isForm ? await formUpload(incoming, limitBytes) : rawUpload(incoming, limitBytes, contentType));
  } catch (error) {
    // The rest of the body is read and dropped, so that the answer arrives.
    incoming.unpipe();
    incoming.resume();
    throw error;
  } finally {
    uploads.set(limit, underWay() - 1);
  }
}

/** Of small files only. */
export async function wholeFile(file: Upload['file']): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of file) pieces.push(piece);
  return Buffer.concat(pieces);
}

function rawUpload(incoming: IncomingMessage, limitBytes: number, contentType: string): Upload {
  const described = Promise.resolve({ fileName: null, contentType, fields: {} });
  return { file: limited(incoming, limitBytes), described };
}

/** The first file of a form. */
function formUpload(incoming: IncomingMessage, limitBytes: number): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, string> = {};
    const { promise: described, resolve: describe, reject: fail } = Promise.withResolvers<UploadDescription>();
    described.catch(() => {});
    let about: Pick<UploadDescription, 'fileName' | 'contentType'> | null = null;
    const form = openForm(incoming);
    form.on('field', (name, value) => {
      fields[name] = Object.hasOwn(fields, name) ? `${fields[name]},${value}` : value;
    });
    form.on('file', (_name, file, { filename, mimeType }) => {
      if (about) return file.resume();
      about = { fileName: filename ?? null, contentType: mimeType.toLowerCase() };
      resolve({ file: limited(file, limitBytes), described });
    });
    pipeline(incoming, form, (error) => {
      const problem = error ? malformed() : about ? null : invalid('file: is required.', 'file: is required');
      if (problem) reject(problem);
      if (problem) fail(problem);
      else if (about) describe({ ...about, fields });
    });
  });
}

function openForm(incoming: IncomingMessage): busboy.Busboy {
  try {
    return busboy({
      headers: incoming.headers,
      defParamCharset: 'utf8',
      limits: { files: 1, fields: 20, fieldSize: 64 * 1024, parts: 50 },
    });
  } catch {
    throw malformed();
  }
}

async function* limited(source: Readable, limitBytes: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  try {
    for await (const piece of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      sizeBytes += piece.length;
      if (sizeBytes > limitBytes) throw tooLarge(limitBytes);
      yield piece;
    }
  } catch (error) {
    throw error instanceof AppError ? error : malformed();
  }
}

function malformed(): AppError {
  return invalid('The upload is not complete, or not a valid form.');
}
