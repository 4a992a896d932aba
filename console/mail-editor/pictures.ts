import type { Media } from '../../client/index.ts';
import type { Block } from '../../schemas/templates/block-types.ts';

const WIDTH_MIN = 16;
const WIDTH_MAX = 720;
/** Of blocks whose pictures have a width of their own. */
const WITH_WIDTH: readonly Block['type'][] = ['image', 'video'];

/** An uploaded picture is shown no larger than it is. */
export function pictureFields({ type }: Pick<Block, 'type'>, { url, width }: Media): Partial<Block> {
  const own = Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, width));
  return { src: url, ...(WITH_WIDTH.includes(type) && { width: own }) } as Partial<Block>;
}
