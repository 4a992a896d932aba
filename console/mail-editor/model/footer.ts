import type { Node } from 'prosemirror-model';
import { type EditorState, Plugin, TextSelection, type Transaction } from 'prosemirror-state';
import { isOfWholeMail } from './acts.ts';
import { nodeName, schema } from './schema.ts';

/** Marketing mail keeps its link to unsubscribe: a footer comes back, whichever way it was taken out, and stays one. */
export function keptFooter(): Plugin {
  return new Plugin({
    appendTransaction(transactions, before, after) {
      if (!transactions.some(({ docChanged }) => docChanged) || transactions.some(isOfWholeMail)) return null;
      const [footer] = footersOf(before.doc);
      const now = footersOf(after.doc);
      if (footer && now.length === 0) return restored(after, footer.node);
      return now.length > 1 && footer ? withoutCopies(after, now) : null;
    },
  });
}

interface Place {
  node: Node;
  at: number;
}

/** It is at the top level alone. */
export function footersOf(doc: Node): Place[] {
  const found: Place[] = [];
  doc.forEach((node, at) => {
    if (node.type.name === nodeName('footer')) found.push({ node, at });
  });
  return found;
}

/** Below a line to write in, where nothing else is left. */
function restored({ tr, doc }: EditorState, footer: Node): Transaction {
  tr.insert(doc.content.size, footer);
  if (doc.childCount > 0) return tr;
  const line = schema.nodes[nodeName('text')]!.create(null, schema.nodes.paragraph!.create());
  tr.insert(0, line);
  return tr.setSelection(TextSelection.create(tr.doc, 2));
}

/** Of a footer that was cut and is pasted. */
function withoutCopies({ tr }: EditorState, [, ...copies]: Place[]): Transaction {
  for (const { node, at } of copies.reverse()) tr.delete(at, at + node.nodeSize);
  return tr;
}
