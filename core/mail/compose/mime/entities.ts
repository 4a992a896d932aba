import type { LargePiece } from '../../ledger/relay.ts';
import {
  base64Lines,
  chooseEncoding,
  type Encoding,
  normalizeLines,
  quotedPrintable,
  quotedPrintableHole,
} from './encodings.ts';

/** Fixed text, or the number of a value that differs per recipient. */
export type Piece = string | number;

/** Encoded text, the number of a value to encode, a file, or pieces that can only be encoded together. */
export type Segment = string | number | Uint8Array | { together: readonly Piece[] };

/** A part of a message: its own headers and its body, which ends without a line end. */
export interface Entity {
  head: string;
  body: Segment[];
}

/** No line of the text may begin with `boundary`. */
export function textEntity(subtype: 'plain' | 'html', pieces: readonly Piece[], boundary: string): Entity {
  const normal = joinTexts(pieces.map((piece) => (typeof piece === 'string' ? normalizeLines(piece) : piece)));
  const fixed = normal.filter((piece) => typeof piece === 'string').join('');
  const encoding = chooseEncoding(
    fixed,
    normal.some((piece) => typeof piece === 'number'),
    boundary,
  );
  const head = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n`;
  return { head, body: encodeBody(normal, encoding) };
}

export function multipart(
  kind: 'alternative' | 'related' | 'mixed',
  boundary: string,
  parts: readonly Entity[],
): Entity {
  const type = kind === 'related' ? '; type="text/html"' : '';
  const head = `Content-Type: multipart/${kind}${type};\r\n boundary="${boundary}"\r\n`;
  const body = parts.flatMap((part, index) => [
    `${index === 0 ? '' : '\r\n'}--${boundary}\r\n${part.head}\r\n`,
    ...part.body,
  ]);
  return { head, body: joinTexts([...body, `\r\n--${boundary}--`]) };
}

/** Joins neighbouring texts. */
export function joinTexts<T>(segments: readonly (T | string)[]): (T | string)[] {
  const out: (T | string)[] = [];
  for (const segment of segments) {
    const last = out.length - 1;
    if (typeof segment === 'string' && typeof out[last] === 'string') out[last] += segment;
    else if (segment !== '') out.push(segment);
  }
  return out;
}

/** The same ASCII text as one flat string: a concatenated string is walked again for each mail that it is put into. */
export function inOnePiece(ascii: string): string {
  return Buffer.from(ascii, 'latin1').toString('latin1');
}

export function writeSegments(segments: readonly Segment[], values: readonly string[]): string {
  let out = '';
  for (const segment of segments) {
    if (typeof segment === 'string') out += segment;
    else if (typeof segment === 'number') out += quotedPrintableHole(valueAt(values, segment));
    else if (segment instanceof Uint8Array) out += fileLines(segment);
    else out += base64Lines(Buffer.from(fillPieces(segment.together, values), 'utf8'));
  }
  return out;
}

/** Joins encoded text, files, which it encodes, and bytes, each of which becomes a character. */
export function writePieces(pieces: readonly LargePiece[]): string {
  return pieces.map(writePiece).join('');
}

function writePiece(piece: LargePiece): string {
  if (typeof piece === 'string') return piece;
  return piece instanceof Uint8Array ? fileLines(piece) : latin1(piece.asIs);
}

/** A byte in each character. */
export function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1');
}

function fileLines(bytes: Uint8Array): string {
  return base64Lines(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

export function fillPieces(pieces: readonly Piece[], values: readonly string[]): string {
  let out = '';
  for (const piece of pieces) out += typeof piece === 'string' ? piece : valueAt(values, piece);
  return out;
}

/**
 * A hole has a line of its own, between soft line breaks, which readers do not show: so the text around it need not be wrapped
 * again.
 */
function encodeBody(pieces: Piece[], encoding: Encoding): Segment[] {
  const fixed = pieces.every((piece) => typeof piece === 'string');
  if (encoding === '7bit') return pieces;
  if (encoding === 'base64')
    return fixed ? [base64Lines(Buffer.from(pieces.join(''), 'utf8'))] : [{ together: pieces }];
  return joinTexts(
    pieces.flatMap((piece, index): Segment[] => {
      const last = index === pieces.length - 1;
      if (typeof piece === 'number') return last ? [piece] : [piece, '=\r\n'];
      const text = quotedPrintable(piece, last);
      return [last || text.endsWith('\r\n') ? text : `${text}=\r\n`];
    }),
  );
}

function valueAt(values: readonly string[], index: number): string {
  const value = values[index];
  if (value === undefined) throw new Error(`The message has no value number ${index}.`);
  return value;
}
