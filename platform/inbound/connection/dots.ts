import type { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';

type Parser = ReturnType<SMTPConnection['_createParser']>;

const DOT = 0x2e;
const LINE_OF_DOT = Buffer.from('.\r\n');
const BEFORE_DOT = Buffer.from('\n.');
const END = Buffer.from('\r\n.\r\n');
/** The end may be in two pieces. */
const HELD_BYTES = 4;

/**
 * Takes the dots that protect lines out of all of a piece at once. By itself smtp-server hands on a piece for each such dot, in a turn of its
 * own: a mail of such lines would be millions of pieces, and each of them takes a hundred bytes more than it holds.
 */
export function unstuffAtOnce(connection: SMTPConnection): void {
  const createParser = connection._createParser.bind(connection);
  connection._createParser = () => takeDots(createParser());
  if (connection._parser) takeDots(connection._parser);
}

export function takeDots(parser: Parser): Parser {
  parser._feedDataStream = (piece, done) => {
    const held = parser._lastBytes || Buffer.alloc(0);
    let bytes = held.length > 0 ? Buffer.concat([held, piece]) : piece;
    parser._lastBytes = false;
    if (parser._atDataStart) {
      if (bytes.subarray(0, LINE_OF_DOT.length).equals(LINE_OF_DOT))
        return parser._endDataMode(false, bytes.subarray(LINE_OF_DOT.length), done);
      if (bytes[0] === DOT && bytes[1] === DOT) {
        bytes = bytes.subarray(1);
        parser._atDataStart = false;
      }
    }
    const { content, rest, isEnd } = unstuffed(bytes);
    parser._countDataBytes(content.length);
    if (isEnd) return parser._endDataMode(content, rest, done);
    parser._lastBytes = rest;
    handOn(parser, content, done);
  };
  return parser;
}

/** `rest`: what follows the end, or the last bytes, of which none came before a dot that was taken out: they could look like the end with it. */
function unstuffed(bytes: Buffer): { content: Buffer; rest: Buffer; isEnd: boolean } {
  let clean: Buffer | null = null;
  let used = 0;
  let from = 0;
  const upTo = (to: number) => {
    if (!clean) return bytes.subarray(from, to);
    return clean.subarray(0, used + bytes.copy(clean, used, from, to));
  };
  for (let at = bytes.indexOf(BEFORE_DOT, 1); at !== -1; ) {
    const dot = at + 1;
    if (dot >= bytes.length - 2) break;
    if (bytes.subarray(dot - 2, dot + 3).equals(END))
      return { content: upTo(dot), rest: bytes.subarray(dot + 3), isEnd: true };
    if (bytes[dot + 1] === DOT) {
      clean ??= Buffer.allocUnsafe(bytes.length);
      used += bytes.copy(clean, used, from, dot);
      from = dot + 1;
    }
    at = bytes.indexOf(BEFORE_DOT, dot + 1);
  }
  const end = Math.max(from, bytes.length - HELD_BYTES);
  return { content: upTo(end), rest: bytes.subarray(end), isEnd: false };
}

/** The next piece is asked for when the reader has room. A reader that left never drains. */
function handOn(parser: Parser, content: Buffer, done: () => void): void {
  const stream = parser._dataStream;
  if (content.length === 0 || !stream?.writable || stream.write(content) || stream.destroyed) {
    done();
    return;
  }
  const go = () => {
    for (const event of ['drain', 'close']) stream.removeListener(event, go);
    done();
  };
  for (const event of ['drain', 'close']) stream.once(event, go);
}
