import type { Block, BlockType } from '../../../schemas/templates/block-types.ts';

/** Addresses to begin with: the interface takes them, and the checks ask for others. */
export const PLACEHOLDER = 'https://example.com/';
export const NO_PICTURE = 'https://example.com/picture.png';

const text = (words: string) => [{ text: words }];

type Fresh = { [Type in BlockType]: () => Omit<Block<Type>, 'id' | 'type'> };

const fresh: Fresh = {
  text: () => ({ nodes: [{ type: 'paragraph', spans: [] }] }),
  heading: () => ({ level: 2, spans: [] }),
  image: () => ({ src: NO_PICTURE, alt: '' }),
  button: () => ({ spans: text('Read more'), href: PLACEHOLDER }),
  columns: () => ({
    columns: [
      { share: 1, blocks: [] },
      { share: 1, blocks: [] },
    ],
  }),
  divider: () => ({}),
  space: () => ({ height: 24 }),
  social: () => ({ links: [{ label: 'Mastodon', href: PLACEHOLDER }] }),
  menu: () => ({
    links: [
      { label: 'News', href: PLACEHOLDER },
      { label: 'Shop', href: PLACEHOLDER },
    ],
  }),
  quote: () => ({ spans: [] }),
  table: () => ({
    head: ['Item', 'Price'],
    align: ['left', 'right'],
    rows: [[text('One'), text('1.00')]],
  }),
  video: () => ({ href: PLACEHOLDER, src: NO_PICTURE, alt: 'A video', label: 'Watch the video' }),
  signature: () => ({ name: 'Your name', lines: [text('What you do')] }),
  header: () => ({ name: 'Your name' }),
  footer: () => ({ spans: text('You get this mail because you are on our list.'), unsubscribe: 'Unsubscribe' }),
  html: () => ({ html: '<p style="margin:0">HTML of your own</p>' }),
  when: () => ({ tests: [{ variable: 'firstName', is: 'set' }], blocks: [] }),
  each: () => ({ list: 'items', blocks: [] }),
  snippet: () => ({ name: 'footer' }),
  content: () => ({}),
};

/** A new block, which the interface takes as it is. */
export function freshBlock(type: BlockType, id: string): Block {
  return { id, type, ...fresh[type]() } as Block;
}
