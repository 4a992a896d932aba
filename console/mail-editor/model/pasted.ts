import { Fragment, type Node, Slice } from 'prosemirror-model';
import { schema } from './schema.ts';

const TAG = /\{\{\s*((?:@root\.)?[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)(?:\s+default="([^"{}\\]*)")?\s*\}\}/g;
/** No font has a sign for them, and the interface takes none of them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are left out.
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]/g;

/** Of Word, Docs and mails: words and their structure stay. */
export function cleanedHtml(html: string): string {
  return html.replace(/<!--[\s\S]*?-->|<(style|script|title)\b[\s\S]*?<\/\1>|<\/?o:[^>]*>/gi, '');
}

/** {{variables}} in words become variables. */
export function cleanedSlice({ content, openStart, openEnd }: Slice): Slice {
  return new Slice(cleanedNodes(content), openStart, openEnd);
}

function cleanedNodes(content: Fragment): Fragment {
  return Fragment.fromArray(
    content.content.flatMap((node) => (node.isText ? parted(node) : [node.copy(cleanedNodes(node.content))])),
  );
}

function parted(node: Node): Node[] {
  const text = (node.text ?? '').replace(/[\t\n]/g, ' ').replace(CONTROLS, '');
  const parts: Node[] = [];
  let at = 0;
  const add = (words: string) => {
    if (words) parts.push(schema.text(words, node.marks));
  };
  for (const { 0: tag, 1: variable, 2: fallback = null, index } of text.matchAll(TAG)) {
    add(text.slice(at, index));
    parts.push(schema.nodes.variable!.create({ variable, fallback }, null, node.marks));
    at = index + tag.length;
  }
  add(text.slice(at));
  return parts;
}
