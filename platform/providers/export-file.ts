import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { type SourceContact, SourceError, type SourceRow } from '../../core/migrations/source.ts';

/** Fetches a file of an export without any key: its URL is signed, and its host is not the provider's. */
export type FetchFile = (url: string, signal?: AbortSignal) => Promise<ForeignFile>;

interface ForeignFile {
  status: number;
  body: AsyncIterable<Uint8Array>;
  /** Ends the connection, whether all was read or not. */
  close(): void;
}

export const FILE_BYTES_MAX = 2 * 1024 ** 3;
/** The most bytes that may come out of a packed file for each byte of it: more is a decompression bomb. */
const INFLATION_MAX = 100;
const INFLATION_FREE_BYTES = 10 * 1024 * 1024;
/** A line is parsed in one step, so it must not block the thread for long; a contact with every field filled has half of this. */
const LINE_LENGTH_MAX = 256 * 1024;
const GZIP_MAGIC = [0x1f, 0x8b];

/** Names and headers are unreliable: the first bytes distinguish gzip from plain, the first character NDJSON from CSV. */
export async function* readExportFile(
  fetchFile: FetchFile,
  url: string,
  batchSize: number,
  signal?: AbortSignal,
): AsyncGenerator<SourceRow[]> {
  const file = await fetchFile(url, signal);
  try {
    if (file.status !== 200)
      throw new SourceError('file_gone', `The export file answers with status ${file.status}.`, file.status);
    yield* batchesOf(rowsOf(inflated(file.body)), batchSize);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SourceError) throw error;
    throw new SourceError('file_gone', `The export file broke off (${codeOf(error)}).`);
  } finally {
    file.close();
  }
}

async function* batchesOf(rows: AsyncIterable<SourceRow>, batchSize: number): AsyncGenerator<SourceRow[]> {
  let batch: SourceRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Never the text of the error: it may hold the signed address. */
function codeOf(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name ?? 'unknown';
}

async function* inflated(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  while (head.length < GZIP_MAGIC.length) {
    const { done, value } = await pieces.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  const count = { packed: 0, plain: 0 };
  const whole = counted(joined(head, pieces), (bytes) => {
    count.packed += bytes;
  });
  const isPacked = GZIP_MAGIC.every((byte, index) => head[index] === byte);
  const plain = isPacked ? pipeline(Readable.from(whole), createGunzip(), () => {}) : whole;
  for await (const piece of plain as AsyncIterable<Uint8Array>) {
    count.plain += piece.length;
    const bound = Math.max(INFLATION_FREE_BYTES, count.packed * INFLATION_MAX);
    if (count.plain > FILE_BYTES_MAX || (isPacked && count.plain > bound))
      throw new SourceError('too_large', 'The export file is larger than is believable.');
    yield piece;
  }
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array>, count: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    count(piece.length);
    yield piece;
  }
}

async function* rowsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRow> {
  const pieces = bytes[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array();
  while (firstCharacter(head) === undefined) {
    if (head.length > LINE_LENGTH_MAX) throw new SourceError('too_large', 'A line of the export file is too long.');
    const { done, value } = await pieces.next();
    if (done) return;
    head = Buffer.concat([head, value]);
  }
  const whole = joined(head, pieces);
  yield* firstCharacter(head) === '{' ? jsonRows(whole) : csvRows(whole);
}

function firstCharacter(bytes: Uint8Array): string | undefined {
  return new TextDecoder().decode(bytes).trimStart()[0];
}

async function* jsonRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRow> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of bytes) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LINE_LENGTH_MAX) throw new SourceError('too_large', 'A line of the export file is too long.');
    for (const line of lines) if (line.trim() !== '') yield jsonRow(line);
  }
  rest += decoder.decode();
  if (rest.trim() === '') return;
  const last = jsonRow(rest);
  // A last line that is not JSON is a truncated file, not a bad contact.
  if (!last.ok) throw new SourceError('file_gone', 'The export file ends in the middle of a line.');
  yield last;
}

function jsonRow(line: string): SourceRow {
  let row: unknown;
  try {
    row = JSON.parse(line);
  } catch {
    return { ok: false, message: 'The line is no JSON.' };
  }
  if (row === null || typeof row !== 'object') return { ok: false, message: 'The line is no contact.' };
  const { custom_fields, ...fields } = row as Record<string, unknown>;
  const custom = custom_fields !== null && typeof custom_fields === 'object' ? custom_fields : {};
  return rowOf({ ...lowerCased(fields), ...lowerCased(custom as Record<string, unknown>) });
}

async function* csvRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRow> {
  const parser = parse({
    bom: true,
    columns: (names: string[]) => names.map((name) => name.toLowerCase()),
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LINE_LENGTH_MAX,
  });
  const records = pipeline(Readable.from(bytes), parser, () => {}) as AsyncIterable<Record<string, string>>;
  for await (const record of records) yield rowOf(record);
}

function lowerCased(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A contact may have a phone number or an id of the caller instead of an address: the reader skips such a row. */
function rowOf(row: Record<string, unknown>): SourceRow {
  const { email, first_name, last_name, phone_number, contact_id, created_at, ...properties } = row;
  const contact: SourceContact = {
    sourceId: textOf(contact_id) ?? '',
    email: textOf(email) ?? '',
    firstName: textOf(first_name),
    lastName: textOf(last_name),
    mobile: textOf(phone_number),
    unsubscribed: false,
    createdAt: textOf(created_at) ?? '',
    properties,
  };
  return { ok: true, contact };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
