import type { Block, BlockType, Look } from '../../../../schemas/templates/block-types.ts';

/** The mail around a block, as far as its HTML depends on it. */
export interface Place {
  look: Required<Look>;
  /** Pixels between the edges of the block; of a frame, with the padding of the blocks inside. */
  width: number;
  padding: number;
  /** Of words, noted as they are compiled: the head of the page gives each another one for dark paper. */
  colours: Set<string>;
  /** The HTML of blocks inside this one, as rows of a table of this width. */
  rows(blocks: readonly Block[], width: number, padding: number): string;
}

/** A fault of a block: the field inside it, and what is wrong and what to do. */
export interface Fault {
  field: string;
  sentence: string;
}

/** One type of content block, as pure functions. HTML and text are sources of the template language. */
export interface Kind<Type extends BlockType> {
  /** The inside of its cell; a frame makes whole rows. */
  toHtml(block: Block<Type>, place: Place): string;
  /** '' when a text has nothing of it. `inside` is the text of blocks inside this one. */
  toText(block: Block<Type>, inside: (blocks: readonly Block[]) => string): string;
  /** Beyond the schema of the type. */
  check(block: Block<Type>): Fault[];
  /** Stands around other blocks. */
  isFrame?: true;
  /** Stands for blocks that were written elsewhere. */
  isPart?: true;
  /** Blocks inside this one, by the path to each list. */
  inside?(block: Block<Type>): Array<[path: string, blocks: readonly Block[]]>;
}
