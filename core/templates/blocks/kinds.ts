import type { Block, BlockType } from '../../../schemas/templates/block-types.ts';
import { columns } from './frames/columns.ts';
import { each } from './frames/each.ts';
import { content, snippet } from './frames/parts.ts';
import { when } from './frames/when.ts';
import type { Kind } from './kit/kind.ts';
import { button } from './things/button.ts';
import { divider } from './things/divider.ts';
import { html } from './things/html.ts';
import { image } from './things/image.ts';
import { space } from './things/space.ts';
import { video } from './things/video.ts';
import { footer } from './words/footer.ts';
import { header } from './words/header.ts';
import { heading } from './words/heading.ts';
import { menu, social } from './words/links.ts';
import { quote } from './words/quote.ts';
import { signature } from './words/signature.ts';
import { table } from './words/table.ts';
import { text } from './words/text.ts';

const kinds: { [Type in BlockType]: Kind<Type> } = {
  ...{ text, heading, quote, signature, table, menu, social, header, footer },
  ...{ image, button, divider, space, video, html },
  ...{ columns, when, each, snippet, content },
};

/** undefined: there is no such type. */
export function kindNamed(type: unknown): Kind<BlockType> | undefined {
  return typeof type === 'string' && Object.hasOwn(kinds, type)
    ? (kinds[type as BlockType] as Kind<BlockType>)
    : undefined;
}

/** Of a block that was checked. */
export function kindOf({ type }: Block): Kind<BlockType> {
  return kinds[type] as Kind<BlockType>;
}
