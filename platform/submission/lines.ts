const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/;
const BARE_LINE_ENDS = /\r(?!\n)|(?<!\r)\n/g;

/**
 * The bytes of a mail as they arrive, as text with a byte in each character, with CRLF at the end of every line: a bare CR or LF would be
 * another line end to us than to a server behind us.
 */
export class ArrivingLines {
  #held = '';

  next(bytes: Buffer): string {
    const text = this.#held + bytes.toString('latin1');
    // Its LF may be in the next piece.
    this.#held = text.endsWith('\r') ? '\r' : '';
    return withCrLf(this.#held ? text.slice(0, -1) : text);
  }

  end(): string {
    return withCrLf(this.#held);
  }
}

function withCrLf(text: string): string {
  return BARE_LINE_END.test(text) ? text.replace(BARE_LINE_ENDS, '\r\n') : text;
}
