import type { Block } from '../../../../schemas/templates/block-types.ts';

type Branched = Block<'when'> | Block<'each'>;
type Blocks = readonly Block[];

/** A block of the template language around other blocks. In a text its tags have lines of their own, which leave no trace. */
export function branches(
  open: string,
  name: 'if' | 'each',
  { blocks, otherwise = [] }: Branched,
  inside: (blocks: Blocks) => string,
  lineEnd = '',
): string {
  const other = otherwise.length > 0 ? `{{else}}${lineEnd}${inside(otherwise)}` : '';
  return `${open}${lineEnd}${inside(blocks)}${other}{{/${name}}}${lineEnd}`;
}

export function insideOf({ blocks, otherwise = [] }: Branched): Array<[path: string, blocks: Blocks]> {
  return [
    ['blocks', blocks],
    ['otherwise', otherwise],
  ];
}
