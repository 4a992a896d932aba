import type { IncomingMessage } from 'node:http';
import busboy from 'busboy';
import { AppError, invalid } from '../../../core/base/errors.ts';
import { parseJson } from '../../../core/base/text/json.ts';

const FORM_BYTES_MAX = 16_384;
/** Those of a sign-up form, with the hidden ones. */
const FIELDS_MAX = 30;

/** The fields of a small form, urlencoded or multipart; files are ignored. A missing body is an empty form. */
export async function readForm(incoming: IncomingMessage): Promise<Map<string, string>> {
  const bytes = await readBytes(incoming);
  const type = incoming.headers['content-type'] ?? '';
  if (type.toLowerCase().startsWith('multipart/form-data')) return multipart(type, bytes);
  return new Map(new URLSearchParams(bytes.toString('utf8')));
}

/** The JSON of a small form. */
export async function readSmallJson(incoming: IncomingMessage): Promise<{ value: unknown; sizeBytes: number }> {
  const bytes = await readBytes(incoming);
  return { value: parseJson(bytes), sizeBytes: bytes.length };
}

async function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of incoming) {
    length += piece.length;
    if (length > FORM_BYTES_MAX)
      throw new AppError('too_large', `The form may have ${FORM_BYTES_MAX} bytes.`, { code: 'BODY_TOO_LARGE' });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function multipart(type: string, bytes: Buffer): Promise<Map<string, string>> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    const fault = () => reject(invalid('The form is not valid multipart/form-data.'));
    try {
      const parser = busboy({ headers: { 'content-type': type }, limits: { fields: FIELDS_MAX, files: FIELDS_MAX } });
      parser.on('field', (name, value) => fields.set(name, value));
      parser.on('file', (_name, file) => file.resume());
      parser.on('close', () => resolve(fields));
      parser.on('error', fault);
      parser.end(bytes);
    } catch {
      fault();
    }
  });
}
