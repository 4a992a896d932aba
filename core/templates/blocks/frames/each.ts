import type { Kind } from '../kit/kind.ts';
import { fault } from '../kit/spans.ts';
import { variableFault } from '../kit/variables.ts';
import { branches, insideOf } from './branches.ts';

/** Blocks once for each item of a list, whose fields are variables inside; `@root.name` is a variable outside. */
export const each: Kind<'each'> = {
  isFrame: true,
  toHtml(block, { width, padding, rows }) {
    return branches(`{{#each ${block.list}}}`, 'each', block, (blocks) => rows(blocks, width, padding));
  },
  toText(block, inside) {
    return branches(`{{#each ${block.list}}}`, 'each', block, inside, '\n');
  },
  check({ list }) {
    return fault('list', variableFault(list));
  },
  inside: insideOf,
};
