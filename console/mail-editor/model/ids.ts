import type { Node } from 'prosemirror-model';
import { Plugin } from 'prosemirror-state';
import { blockType } from './schema.ts';

const BYTES = 6;

function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return `b-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Each block has an id of its own: a copy gets another one, and a block that is moved keeps it. */
export function uniqueIds(): Plugin {
  return new Plugin({
    appendTransaction(transactions, _, { doc, tr }) {
      if (!transactions.some(({ docChanged }) => docChanged)) return null;
      for (const { at, props } of withoutId(doc)) tr.setNodeAttribute(at, 'props', { ...props, id: newId() });
      return tr.docChanged ? tr : null;
    },
  });
}

function withoutId(doc: Node): Array<{ at: number; props: object }> {
  const known = new Set<string>();
  const found: Array<{ at: number; props: object }> = [];
  doc.descendants((node, at) => {
    const { props } = node.attrs;
    if (blockType(node) !== null) {
      if (!props.id || known.has(props.id)) found.push({ at, props: { id: '', ...props } });
      known.add(props.id);
    }
    return !node.inlineContent && node.type.name !== 'words';
  });
  return found;
}
