import type { Block } from '../../../../schemas/templates/block-types.ts';
import type { Kind } from '../kit/kind.ts';

/** Blocks of a snippet or, in a layout, of the mail, which are put in before the content is compiled. */
function part<Type extends 'snippet' | 'content'>(fieldOf: (block: Block<Type>) => string): Kind<Type> {
  return {
    isFrame: true,
    isPart: true,
    toHtml({ blocks = [] }, { width, padding, rows }) {
      return rows(blocks, width, padding);
    },
    toText({ blocks = [] }, inside) {
      return inside(blocks);
    },
    check: () => [],
    inside(block) {
      return [[fieldOf(block), block.blocks ?? []]];
    },
  };
}

export const snippet = part<'snippet'>(({ name }) => name);
export const content = part<'content'>(() => 'content');
