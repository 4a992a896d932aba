import tools from 'mailauth/lib/tools.js';

const SIGNATURES_MAX = 10;
/** Its list of headers is compared with all headers of the mail. */
const SIGNATURE_LENGTH_MAX = 8_192;
const HEADER_BYTES_MAX = 262_144;
/** The verifier takes quadratic time in the lines of a field, and up to 0.1 us for each pair of lines. */
const HEADER_LINES_MAX = 1_500;
const LF = 10;
const CR = 13;

/**
 * The mail as it is verified; where signatures are left out, the bytes of `mail` before the body are overwritten. Each signature costs a
 * lookup, and one with `l=`, which covers a part of the body alone, a hash of the body of its own: that one counts as none, and so do those
 * after the first ten. The fields are read as the verifier reads them. null: the header is too long.
 */
export function withFewSignatures(mail: Buffer): Buffer | null {
  const end = headerEnd(mail);
  if (end > HEADER_BYTES_MAX) return null;
  const header = mail.subarray(0, end);
  if (header.toString('latin1').split('\n').length > HEADER_LINES_MAX) return null;
  const { parsed } = tools.parseHeaders(header);
  let signatures = 0;
  const kept = parsed.filter(({ key, line }) => {
    if (key !== 'dkim-signature') return true;
    if (signatures === SIGNATURES_MAX || !isWhole(line)) return false;
    signatures += 1;
    return true;
  });
  if (kept.length === parsed.length) return mail;
  const text = kept.map(({ line }) => `${line.toString('latin1')}\r\n`).join('');
  const left = Buffer.from(`${text}\r\n`, 'latin1');
  const start = end - left.length;
  // Lines that ended with LF alone are longer now.
  if (start < 0) return Buffer.concat([left, mail.subarray(end)]);
  mail.set(left, start);
  return mail.subarray(start);
}

function isWhole(line: Buffer): boolean {
  return line.length <= SIGNATURE_LENGTH_MAX && !('l' in tools.parseDkimHeaders(line).parsed);
}

/** Behind the first empty line, however its lines end; that of a mail without one is the end of the mail. */
function headerEnd(mail: Buffer): number {
  let lineStart = 0;
  for (let at = mail.indexOf(LF); at !== -1 && at <= HEADER_BYTES_MAX; at = mail.indexOf(LF, lineStart)) {
    const isEmpty = at === lineStart || (at === lineStart + 1 && mail[lineStart] === CR);
    if (isEmpty) return at + 1;
    lineStart = at + 1;
  }
  return mail.length;
}
