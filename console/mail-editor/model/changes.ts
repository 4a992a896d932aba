import type { Block, Content } from '../../../schemas/templates/block-types.ts';
import { nameOf } from './labels.ts';

export interface Changes {
  /** Ids of the later version. */
  changed: string[];
  added: string[];
  /** As people call them. */
  removed: string[];
  isOtherLook: boolean;
}

/** Blocks keep their ids for life, wherever they go. A frame has changed when its own fields have, and not with the blocks inside. */
export function changesBetween(before: Content, after: Content): Changes {
  const [were, are] = [ownOf(before.blocks), ownOf(after.blocks)];
  const all = [...are.keys()];
  return {
    changed: all.filter((id) => were.has(id) && were.get(id)?.text !== are.get(id)?.text),
    added: all.filter((id) => !were.has(id)),
    removed: [...were].filter(([id]) => !are.has(id)).map(([, { block }]) => nameOf(block)),
    isOtherLook: JSON.stringify(before.look ?? {}) !== JSON.stringify(after.look ?? {}),
  };
}

function ownOf(blocks: readonly Block[], found = new Map<string, { block: Block; text: string }>()) {
  for (const block of blocks) {
    const inside: Block[][] = [];
    const text = JSON.stringify(block, (name, value) => {
      if (name !== 'blocks' && name !== 'otherwise') return value;
      inside.push(value ?? []);
      return undefined;
    });
    found.set(block.id, { block, text });
    for (const part of inside) ownOf(part, found);
  }
  return found;
}

/** '2 blocks are new, 1 is changed, gone: Button “Read more”.' null: nothing differs. */
export function wordsOfChanges({ changed, added, removed, isOtherLook }: Changes): string | null {
  const parts = [
    added.length > 0 && `${added.length} new`,
    changed.length > 0 && `${changed.length} changed`,
    removed.length > 0 && `gone: ${removed.join(', ')}`,
    isOtherLook && 'another look',
  ].filter(Boolean);
  return parts.length === 0 ? null : parts.join(', ');
}
