import { setImmediate as nextTurn } from 'node:timers/promises';

/** The cost of parsing depends on the number of values: this many take some 30 ms of the thread, in which mail is sent too. */
const VALUES_MAX = 100_000;
const SCANNED_TOGETHER = 256 * 1024;
const SLICE_BYTES = 128 * 1024;
const SLICE_BYTES_MAX = 2 * SLICE_BYTES;
const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

export class TooManyValues extends Error {}

/** Values are counted first, with other work in between, since a parse cannot be interrupted. */
export async function parsedAnswer(bytes: Buffer): Promise<unknown> {
  const count = { values: 0, isInText: false, isEscaped: false };
  for (let from = 0; from < bytes.length; from += SCANNED_TOGETHER) {
    if (from > 0) await nextTurn();
    countValues(bytes.subarray(from, from + SCANNED_TOGETHER), count);
    if (count.values > VALUES_MAX) throw new TooManyValues();
  }
  return parsed(bytes.toString('utf8'));
}

function countValues(bytes: Buffer, count: { values: number; isInText: boolean; isEscaped: boolean }): void {
  for (const byte of bytes) {
    if (count.isEscaped) count.isEscaped = false;
    else if (byte === QUOTE) count.isInText = !count.isInText;
    else if (count.isInText) count.isEscaped = byte === BACKSLASH;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) count.values += 1;
  }
}

/** One array of texts of any length, in slices between which other work runs. */
export async function* parsedTexts(bytes: Buffer): AsyncGenerator<unknown> {
  let from = 0;
  for (;;) {
    const end = sliceEnd(bytes, from);
    if ((end ?? bytes.length) - from > SLICE_BYTES_MAX) throw new TooManyValues();
    const text = bytes.toString('utf8', from, end ?? bytes.length);
    yield parsed(`${from > 0 ? '[' : ''}${text}${end === null ? '' : ']'}`);
    if (end === null) return;
    from = end + 1;
    await nextTurn();
  }
}

/** The comma after a text; an escaped quote does not end one. null: the rest is one slice. */
function sliceEnd(bytes: Buffer, from: number): number | null {
  if (bytes.length - from <= SLICE_BYTES_MAX) return null;
  let at = bytes.indexOf('",', from + SLICE_BYTES);
  while (at !== -1 && bytes[at - 1] === BACKSLASH) at = bytes.indexOf('",', at + 1);
  return at === -1 ? null : at + 1;
}

function parsed(text: string): unknown {
  return text.trim() === '' ? null : JSON.parse(text);
}
