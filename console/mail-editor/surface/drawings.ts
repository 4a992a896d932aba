import type { Block, BlockType } from '../../../schemas/templates/block-types.ts';
import { conditionOf } from '../model/conditions.ts';
import { colourOf, element, fixed, inkOn, setVariable } from './dom.ts';
import { pictureOf } from './pictures.ts';

/** A block as it looks in the mail. */
export interface Drawing {
  element: HTMLElement;
  /** Where its words, or the blocks inside it, are typed. */
  inside?: HTMLElement;
  /** Draws other fields. false: the block is drawn again. */
  show(block: Block): boolean;
}

type Draw<Type extends BlockType> = (block: Block<Type>) => Drawing;

/** Without words of its own: it is drawn again whenever a field changes. */
function still<Type extends BlockType>(make: (block: Block<Type>) => HTMLElement): Draw<Type> {
  return (block) => ({ element: make(block), show: () => false });
}

/** A container of words, and how fields change it. */
function around<Type extends BlockType>(
  make: () => { element: HTMLElement; inside: HTMLElement },
  show: (block: Block<Type>, made: { element: HTMLElement; inside: HTMLElement }) => boolean,
): Draw<Type> {
  return (block) => {
    const made = make();
    show(block, made);
    return { ...made, show: (next) => show(next as Block<Type>, made) };
  };
}

const plain = (tag: string, name: string) => () => {
  const made = element(tag, { class: name });
  return { element: made, inside: made };
};

/** Those of the brand are drawn by the server. */
function links({ links: all = OF_BRAND, align }: Block<'menu'> | Block<'social'>): HTMLElement {
  return element('p', { class: `m-links ${align ?? ''}` }, ...all.map(({ label }) => element('span', {}, label)));
}

const OF_BRAND = [{ label: 'Profiles of the brand', href: '' }];

function heading(block: Block<'heading'>): Drawing {
  const made = element(`h${block.level}`, {});
  const show = (next: Block) => {
    const { level, align = '' } = next as Block<'heading'>;
    made.className = align;
    return level === block.level;
  };
  show(block);
  return { element: made, inside: made, show };
}

const branched = {
  make: () => {
    const inside = element('div', { class: 'm-parts' });
    return { element: element('div', { class: 'm-frame' }, fixed('p', { class: 'm-sentence' }), inside), inside };
  },
  show: (sentence: string, { element: made }: { element: HTMLElement }) => {
    made.firstElementChild!.textContent = sentence;
    return true;
  },
};

const drawings: { [Type in BlockType]: Draw<Type> } = {
  text: around(plain('div', 'm-text'), () => true),
  heading,
  button: around(
    () => {
      const inside = element('span', { class: 'm-button' });
      return { element: element('div', {}, inside), inside };
    },
    ({ background, colour, align = '' }, made) => {
      made.element.className = align;
      setVariable(made.inside, '--m-button', colourOf(background));
      setVariable(made.inside, '--m-on-button', colourOf(colour) ?? inkOn(background));
      return true;
    },
  ),
  quote: around(
    () => {
      const inside = element('p');
      return { element: element('blockquote', {}, inside, fixed('p', { class: 'm-small' })), inside };
    },
    ({ by = '' }, { element: made }) => {
      made.lastElementChild!.textContent = by;
      return true;
    },
  ),
  footer: around(
    () => {
      const inside = element('p');
      return { element: element('div', { class: 'm-footer' }, inside, fixed('p', { class: 'm-quiet' })), inside };
    },
    ({ unsubscribe = 'Unsubscribe', preferences }, { element: made }) => {
      const all = [unsubscribe, ...(preferences === undefined ? [] : [preferences])];
      made.lastElementChild!.replaceChildren(...all.map((one) => element('span', {}, one)));
      return true;
    },
  ),
  table: around(
    () => {
      const inside = element('tbody');
      const head = fixed('thead');
      return { element: element('table', {}, head, inside), inside };
    },
    ({ head = [], align = [] }, { element: made }) => {
      const cells = head.map((words) => element('th', { scope: 'col' }, words));
      made.firstElementChild!.replaceChildren(...(cells.length > 0 ? [element('tr', {}, ...cells)] : []));
      made.className = ['m-table', ...align.map((one, index) => `m-${one}-${index + 1}`)].join(' ');
      return true;
    },
  ),
  signature: around(
    () => {
      const inside = element('div', { class: 'm-small' });
      const words = element('div', {}, fixed('strong'), inside);
      return { element: element('div', { class: 'm-signature' }, fixed('span'), words), inside };
    },
    ({ name, src, alt = '' }, { element: made, inside }) => {
      made.firstElementChild!.replaceChildren(...(src ? [pictureOf(src, alt, 56)] : []));
      inside.previousElementSibling!.textContent = name;
      return true;
    },
  ),
  columns: around(plain('div', 'm-columns'), ({ columns: _ }) => true),
  when: around(branched.make, (block, made) => branched.show(conditionOf(block), made)),
  each: around(branched.make, ({ list }, made) => branched.show(`For each of ${list}`, made)),
  image: still(({ src, alt, width, align = '', href }) =>
    element('p', { class: `m-image ${align}`, title: href ? `Leads to ${href}` : null }, pictureOf(src, alt, width)),
  ),
  video: still(({ src, alt, label = '', width }) =>
    element('div', {}, pictureOf(src, alt, width), element('p', { class: 'm-play' }, `▶ ${label}`)),
  ),
  divider: still(({ colour, thickness = 1 }) => {
    const made = element('hr');
    setVariable(made, '--m-line', colourOf(colour));
    setVariable(made, '--m-thick', `${thickness}px`);
    return made;
  }),
  space: still(({ height }) => {
    const made = element('div', { class: 'm-space' });
    setVariable(made, '--m-height', `${height}px`);
    return made;
  }),
  social: still(links),
  menu: still(links),
  header: still(({ name = 'Name of the brand', src, width = 160, align = '' }) =>
    element('p', { class: `m-header ${align}` }, src ? pictureOf(src, name, width) : name),
  ),
  snippet: still(({ name }) => element('p', { class: 'm-part' }, `Snippet “${name}”`)),
  content: still(() => element('p', { class: 'm-part' }, 'The mail stands here')),
  html: still(({ html }) => element('pre', { class: 'm-html' }, html)),
};

export function draw(block: Block): Drawing {
  return (drawings[block.type] as Draw<BlockType>)(block);
}
