/** RFC 6376 3.4.2 and 3.4.4, "relaxed" for header and body: what relays may change without breaking a signature. */

interface CanonicalMessage {
  /** Lower-case name to canonical "name:value" lines, the first in the message first. */
  headers: Map<string, string[]>;
  body: string;
}

const BODY_NEEDS_WORK = /\t| {2}| \r\n/;

export function canonicalMessage(message: string): CanonicalMessage {
  const end = message.indexOf('\r\n\r\n');
  const head = end === -1 ? message : message.slice(0, end + 2);
  return { headers: canonicalHeaders(head), body: canonicalBody(end === -1 ? '' : message.slice(end + 4)) };
}

export function canonicalHeader(name: string, value: string): string {
  return `${name.trim().toLowerCase()}:${value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()}`;
}

/** A body that lacks its last line end gets one, as it does on the wire. */
function canonicalBody(body: string): string {
  const whole = body === '' || body.endsWith('\r\n') ? body : `${body}\r\n`;
  const text = BODY_NEEDS_WORK.test(whole) ? whole.replace(/[ \t]{2,}|\t/g, ' ').replaceAll(' \r\n', '\r\n') : whole;
  let end = text.length;
  while (end >= 4 && text.startsWith('\r\n\r\n', end - 4)) end -= 2;
  return end === 2 ? '' : text.slice(0, end);
}

function canonicalHeaders(head: string): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const field of head.split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(':');
    if (colon === -1) continue;
    const name = field.slice(0, colon).trim().toLowerCase();
    const line = canonicalHeader(name, field.slice(colon + 1));
    const same = headers.get(name);
    if (same) same.push(line);
    else headers.set(name, [line]);
  }
  return headers;
}
