const NEEDS_WORK = /\r(?!\n)|(?<!\r)\n|\n\./;
const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/g;

/**
 * The bytes between 354 and the dot, as a string with a byte in each character: every line ends with CRLF, no line is a lone dot. A bare CR
 * or LF is one of the two ways to smuggle a second message through a relay that reads line ends differently, so none is sent.
 */
export function wireBytes(message: string): string {
  return wireLines(asLatin1(message));
}

/** The same for a message that has a byte in each character already. */
export function wireLines(message: string): string {
  let text = message;
  if (NEEDS_WORK.test(text)) text = text.replace(BARE_LINE_END, '\r\n').replaceAll('\n.', '\n..');
  if (text.charCodeAt(0) === 46) text = `.${text}`;
  return text.endsWith('\r\n') || text === '' ? text : `${text}\r\n`;
}

function asLatin1(text: string): string {
  return Buffer.byteLength(text, 'utf8') === text.length ? text : Buffer.from(text, 'utf8').toString('latin1');
}
