import type { Reply } from '../../core/mail/ledger/relay.ts';

const REPLY_LINE_LENGTH_MAX = 4_096;
const REPLY_LINES_MAX = 128;
const REPLY_TEXT_LENGTH_MAX = 2_000;

const ENHANCED = /^([245]\.\d{1,3}\.\d{1,3})(?: |$)/;
const CONTROL = /[\p{Cc}\u2028\u2029]+/gu;

export interface ReplyReader {
  /** Takes bytes as latin1; false: this is not SMTP, or too much of it. */
  push(chunk: string): boolean;
  /** Bytes of an unfinished line or reply are waiting. */
  hasRest(): boolean;
  /** For onReply: the same bytes contain more after this reply. */
  hasMore(): boolean;
}

/**
 * Splits the bytes of a relay into replies. A line ends at LF, with or without CR, so a relay that omits the CR neither blocks us nor
 * shifts the answers of pipelined commands; a lone CR is an ordinary character. onReply returns false to stop.
 */
export function createReplyReader(onReply: (reply: Reply, lines: string[]) => boolean): ReplyReader {
  let rest = '';
  let lines: string[] = [];
  let openCode = 0;
  let isMore = false;

  function push(chunk: string): boolean {
    const text = rest === '' ? chunk : rest + chunk;
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = text.slice(from, end > from && text.charCodeAt(end - 1) === 13 ? end - 1 : end);
      from = end + 1;
      if (line.length > REPLY_LINE_LENGTH_MAX) return false;
      const code = codeOf(line);
      if (code === 0 || (openCode !== 0 && code !== openCode)) return false;
      if (line.charCodeAt(3) === 45) {
        openCode = code;
        if (lines.push(line.slice(4)) >= REPLY_LINES_MAX) return false;
        continue;
      }
      const whole = lines;
      whole.push(line.slice(4));
      lines = [];
      openCode = 0;
      isMore = from < text.length;
      const goesOn = onReply(makeReply(code, whole), whole);
      isMore = false;
      if (!goesOn) {
        rest = text.slice(from);
        return true;
      }
    }
    rest = from === 0 ? text : text.slice(from);
    return rest.length <= REPLY_LINE_LENGTH_MAX;
  }

  return { push, hasRest: () => rest !== '' || lines.length > 0, hasMore: () => isMore };
}

/** The first line's enhanced code is the reply's; the same code at the beginning of other lines is left out of the text. */
function makeReply(code: number, lines: string[]): Reply {
  const first = lines[0]!;
  const enhanced = ENHANCED.exec(first)?.[1] ?? null;
  if (lines.length === 1 && enhanced === null) return { code, enhanced, text: clean(first) };
  const text = lines.map((line) => line.replace(ENHANCED, '')).join(' ');
  return { code, enhanced, text: clean(text) };
}

/** Replies are ASCII by the standard, and UTF-8 or Latin-1 in practice; control characters never reach a log or a page. */
function clean(text: string): string {
  let readable = text;
  if (/[^\u0020-\u007e]/.test(text)) {
    const utf8 = Buffer.from(text, 'latin1').toString('utf8');
    readable = (utf8.includes('\ufffd') ? text : utf8).replace(CONTROL, ' ');
  }
  return readable.length > REPLY_TEXT_LENGTH_MAX ? readable.slice(0, REPLY_TEXT_LENGTH_MAX) : readable.trim();
}

/** 200 to 599 followed by space, hyphen or the end; otherwise 0. */
function codeOf(line: string): number {
  const a = line.charCodeAt(0) - 48;
  const b = line.charCodeAt(1) - 48;
  const c = line.charCodeAt(2) - 48;
  if (!(a >= 2 && a <= 5 && b >= 0 && b <= 9 && c >= 0 && c <= 9)) return 0;
  const after = line.charCodeAt(3);
  return line.length === 3 || after === 32 || after === 45 ? a * 100 + b * 10 + c : 0;
}
