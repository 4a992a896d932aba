import { isUtf8 } from 'node:buffer';
import PostalMime from 'postal-mime';

/** The parts of postal-mime's node that are replaced here: it has no options for them. Imported by the thread that parses mails. */
interface Part {
  state: 'header' | 'body' | 'finished';
  content: ArrayBuffer | null;
  contentType: { parsed: { params: Record<string, string | undefined> } };
  feed(line: Uint8Array): void;
  getTextContent(): string;
  decodeFlowedText(text: string, delSp: boolean): string;
}

const UTF8 = new TextDecoder();
const WINDOWS_1252 = new TextDecoder('windows-1252');
const SIGNATURE = '-- ';

const part: Part = Object.getPrototypeOf((new PostalMime() as unknown as { root: Part }).root);
const { feed, getTextContent } = part;

/** Old programs write Latin-1 in headers, where nothing can name a charset. */
part.feed = function (line) {
  const isOther = this.state === 'header' && !isUtf8(line);
  feed.call(this, isOther ? Buffer.from(WINDOWS_1252.decode(line)) : line);
};

part.getTextContent = function () {
  const { params } = this.contentType.parsed;
  if (!params.charset && this.content && !isUtf8(this.content)) params.charset = 'windows-1252';
  return getTextContent.call(this);
};

/** RFC 3676: a line that ends with a space continues in the next one, when both are quoted as often. */
part.decodeFlowedText = (text, delSp) => {
  const paragraphs: Array<{ depth: number; pieces: string[] }> = [];
  let isOpen = false;
  for (const line of text.split(/\r?\n/)) {
    const { depth, content } = unquoted(line);
    const isSignature = content === SIGNATURE;
    const last = paragraphs.at(-1);
    const pieces = isOpen && !isSignature && last?.depth === depth ? last.pieces : [];
    if (pieces.length === 0) paragraphs.push({ depth, pieces });
    isOpen = content.endsWith(' ') && !isSignature;
    pieces.push(isOpen && delSp ? content.slice(0, -1) : content);
  }
  return paragraphs.map(({ depth, pieces }) => quoted(depth, pieces.join(''))).join('\n');
};

/** The first `lengthMax` bytes as text, of a part that names no charset. */
export function textIn(bytes: Uint8Array, lengthMax: number): string {
  return (isUtf8(bytes) ? UTF8 : WINDOWS_1252).decode(bytes.subarray(0, lengthMax));
}

/** Without its marks of quotation, and without the space that protects what follows them. */
function unquoted(line: string): { depth: number; content: string } {
  let depth = 0;
  while (line[depth] === '>') depth += 1;
  return { depth, content: line.slice(line[depth] === ' ' ? depth + 1 : depth) };
}

function quoted(depth: number, content: string): string {
  return depth === 0 || content === '' ? '>'.repeat(depth) + content : `${'>'.repeat(depth)} ${content}`;
}
