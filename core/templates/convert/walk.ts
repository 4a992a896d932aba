import type { Block, Span, TextNode } from '../../../schemas/templates/block-types.ts';
import type { Findings } from './findings.ts';
import { asHtml } from './mjml.ts';
import { cellsOf, hasContent, inlineBlocksAt, isPadded, LEFT_OUT, looksLikeButton, QUIET, rowsOf } from './shapes.ts';
import { alignOf, backgroundOf, colourOf, isHidden, pixelsOf, sharesOf, styleOf } from './styles.ts';
import { dataOf, labelOf } from './tables.ts';
import { type Element, isElement, type Node, NotConvertible } from './tree.ts';
import { type Format, hasWords, joined, plain, spansOf, tidy } from './words.ts';

const NODES_IN_TEXT_MAX = 200;

/** Makes blocks of elements that follow each other. */
export class Walk {
  readonly blocks: Block[] = [];
  readonly #findings: Findings;
  /** Columns are not inside columns. */
  readonly #isInside: boolean;
  #spans: Span[] = [];

  constructor(findings: Findings, isInside = false) {
    this.#findings = findings;
    this.#isInside = isInside;
  }

  of(nodes: readonly Node[], format: Format = {}): Block[] {
    this.#each(nodes, format);
    this.#paragraph(format);
    return this.blocks;
  }

  #each(nodes: readonly Node[], format: Format): void {
    for (let at = 0; at < nodes.length; ) {
      const row = this.#isInside ? [] : inlineBlocksAt(nodes, at);
      if (row.length > 1) this.#columns(row.filter(isElement), format);
      else this.#one(nodes[at]!, format);
      at += Math.max(1, row.length);
    }
  }

  #one(node: Node, format: Format): void {
    if (!isElement(node)) {
      this.#spans.push(...spansOf(node, format));
      return;
    }
    const element = asHtml(node);
    const own = READERS[element.name];
    if (isHidden(element)) this.#findings.leaveOutHidden(element);
    else if (own) own.call(this, element, format);
    else if (LEFT_OUT.has(element.name))
      this.#findings.leaveOut(element, `<${element.name}>, which mail programs do not show`);
    else if (!QUIET.has(element.name)) this.#each(element.children, format);
  }

  #add(block: Record<string, unknown>): void {
    this.blocks.push({ id: this.#findings.nextId(), ...block } as unknown as Block);
  }

  /** Words so far, as a paragraph behind the ones before. */
  #paragraph({ align }: Format): void {
    const spans = tidy(this.#spans);
    this.#spans = [];
    if (hasWords(spans)) this.#node({ type: 'paragraph', spans, ...(align && align !== 'left' && { align }) });
  }

  #node(node: TextNode): void {
    const last = this.blocks.at(-1);
    if (last?.type === 'text' && last.nodes.length < NODES_IN_TEXT_MAX) last.nodes.push(node);
    else this.#add({ type: 'text', nodes: [node] });
  }

  /** The words of an element, and its blocks of other kinds. */
  #inside({ children }: Element, format: Format): { spans: Span[]; others: Block[] } {
    const blocks = new Walk(this.#findings, true).of(children, format);
    const texts = blocks.flatMap((block) => (block.type === 'text' ? block.nodes : []));
    return { spans: joined(texts), others: blocks.filter(({ type }) => type !== 'text') };
  }

  container(element: Element, format: Format): void {
    this.#paragraph(format);
    const align = alignOf(element);
    const inside = align ? { ...format, align } : format;
    this.#each(element.children, inside);
    this.#paragraph(inside);
  }

  styled(element: Element, format: Format): void {
    const { name } = element;
    const weight = styleOf(element, 'font-weight');
    const isBold = name === 'b' || name === 'strong' || weight === 'bold' || Number(weight) >= 600;
    const isItalic = name === 'i' || name === 'em' || styleOf(element, 'font-style') === 'italic';
    const colour = colourOf(styleOf(element, 'color') || (name === 'font' ? element.attributes.color : ''));
    this.#each(element.children, {
      ...format,
      ...(isBold && { bold: true }),
      ...(isItalic && { italic: true }),
      ...(colour && { colour }),
    });
  }

  heading(element: Element, format: Format): void {
    this.#paragraph(format);
    const { spans, others } = this.#inside(element, format);
    const align = alignOf(element) ?? format.align;
    const level = Math.min(3, Number(element.name[1]));
    if (hasWords(spans)) this.#add({ type: 'heading', level, spans, ...(align && align !== 'left' && { align }) });
    this.blocks.push(...others);
  }

  quote(element: Element, format: Format): void {
    this.#paragraph(format);
    const { spans, others } = this.#inside(element, format);
    if (hasWords(spans)) this.#add({ type: 'quote', spans });
    this.blocks.push(...others);
  }

  list(element: Element, format: Format): void {
    this.#paragraph(format);
    const entries = element.children.filter(isElement).filter(({ name }) => name === 'li');
    const inside = entries.map((entry) => this.#inside(entry, format));
    const items = inside.map(({ spans }) => spans).filter(hasWords);
    if (items.length > 0)
      this.#node({ type: 'list', ...(element.name === 'ol' && { ordered: true }), items: items.slice(0, 200) });
    this.blocks.push(...inside.flatMap(({ others }) => others));
  }

  lineBreak(): void {
    this.#spans.push({ break: true });
  }

  link(element: Element, format: Format): void {
    const href = this.#findings.address(element, 'href');
    const inside = { ...format, ...(href && { href }) };
    if (href && looksLikeButton(element)) {
      const { spans, others } = this.#inside(element, {});
      if (hasWords(spans)) this.#button(element, { spans, href }, format);
      this.blocks.push(...others);
    } else this.#each(element.children, inside);
  }

  /** A link in words, or in a cell that has the colour of the button. */
  #button(element: Element, { spans, href }: { spans: Span[]; href: string }, format: Format): void {
    this.#paragraph(format);
    const align = alignOf(element) ?? format.align;
    const background = backgroundOf(element);
    // A button is bold and has a colour for its words already.
    const own = spans.map(({ bold: _, colour: __, ...span }) => span);
    this.#add({
      ...{ type: 'button', spans: tidy(own), href },
      ...(background && { background }),
      ...(align && align !== 'left' && { align }),
    });
  }

  mjmlButton(element: Element, format: Format): void {
    const href = this.#findings.address(element, 'href');
    const { spans } = this.#inside(element, {});
    const align = alignOf(element) ?? 'center';
    if (href && hasWords(spans)) this.#button(element, { spans, href }, { ...format, align });
    else this.#findings.note(element.line, 'left out: a button without words or address');
  }

  image(element: Element, format: Format): void {
    const { width: given, height } = element.attributes;
    const width = pixelsOf(styleOf(element, 'width')) ?? pixelsOf(given);
    const src = this.#findings.address(element, 'src');
    if (width === 1 || pixelsOf(height) === 1) this.#findings.note(element.line, 'left out: a picture of one pixel');
    else if (src) this.#picture(element, { src, width }, format);
  }

  #picture(element: Element, { src, width }: { src: string; width: number | undefined }, format: Format): void {
    const { alt = '' } = element.attributes;
    const href = this.#findings.address(element, 'href') ?? format.href;
    const words = plain(alt).trim().slice(0, 500);
    if (href && words === '')
      this.#findings.note(element.line, 'a picture with a link needs words: say in alt where it leads');
    this.#paragraph(format);
    const align = alignOf(element) ?? format.align;
    this.#add({
      ...{ type: 'image', src, alt: words || (href ? 'Picture' : '') },
      ...(href && { href }),
      ...(width && width >= 16 && width <= 720 && { width }),
      ...(align && align !== 'left' && { align }),
    });
  }

  divider(element: Element, format: Format): void {
    this.#paragraph(format);
    const colour = colourOf(element.attributes['border-color']);
    this.#add({ type: 'divider', ...(colour && { colour }) });
  }

  space({ attributes: { height } }: Element, format: Format): void {
    this.#paragraph(format);
    this.#add({ type: 'space', height: Math.min(160, Math.max(4, pixelsOf(height) ?? 20)) });
  }

  links(element: Element, format: Format): void {
    this.#paragraph(format);
    const type = element.name === 'mj-navbar' ? 'menu' : 'social';
    const links = element.children.filter(isElement).flatMap((one) => {
      const href = this.#findings.address(one, 'href');
      const label = labelOf(this.#inside(one, {}).spans) || (one.attributes.name ?? '');
      return href && label ? [{ label, href }] : [];
    });
    const align = alignOf(element) ?? 'center';
    if (links.length > 0) this.#add({ type, links: links.slice(0, 12), align });
  }

  /** One for layout is its cells; one of data, which has heads or says so, stays a table. */
  table(element: Element, format: Format): void {
    this.#paragraph(format);
    const rows = rowsOf(element);
    const isData =
      element.attributes.role === 'table' || rows.some((row) => cellsOf(row).some(({ name }) => name === 'th'));
    if (isData) this.#data(rows, format);
    else for (const row of rows) this.#cells(cellsOf(row), { ...format, ...aligned(element), ...aligned(row) });
  }

  #data(rows: readonly Element[], format: Format): void {
    this.#add({ type: 'table', ...dataOf(rows, (cell) => this.#inside(cell, format).spans) });
  }

  row(element: Element, format: Format): void {
    this.#paragraph(format);
    this.#cells(element.children.filter(isElement).map(asHtml), format);
  }

  #cells(all: readonly Element[], format: Format): void {
    const cells = all.filter((cell) => hasContent(cell));
    const isRow = cells.length > 1 && cells.length <= 4 && !this.#isInside;
    if (cells.length > 1 && !isRow) this.#findings.note(cells[0]!.line, 'cells side by side come below each other');
    if (isRow) this.#columns(cells, format);
    else for (const cell of cells) this.#cell(cell, format);
  }

  #cell(cell: Element, format: Format): void {
    const inside = { ...format, ...aligned(cell) };
    const [only, ...more] = cell.children.filter((child) => isElement(child) || child.text.trim() !== '');
    const background = backgroundOf(cell);
    // A button whose colour is that of its cell, as most generators write it.
    if (only && isElement(only) && only.name === 'a' && more.length === 0 && background && isPadded(only)) {
      const attributes = { ...only.attributes, bgcolor: background };
      this.link({ ...only, attributes }, inside);
    } else this.#each(cell.children, inside);
    this.#paragraph(inside);
  }

  #columns(cells: readonly Element[], format: Format): void {
    this.#paragraph(format);
    const shares = sharesOf(cells);
    const columns = cells.map((cell, index) => {
      const walk = new Walk(this.#findings, true);
      walk.#cell(cell, format);
      walk.#paragraph(format);
      return { share: shares[index], blocks: walk.blocks };
    });
    const full = columns.filter(({ blocks }) => blocks.length > 0);
    if (full.length > 1) this.#add({ type: 'columns', columns });
    else this.blocks.push(...full.flatMap(({ blocks }) => blocks));
  }

  head(element: Element): void {
    this.#findings.ofHead(element);
  }

  include({ line }: Element): void {
    throw new NotConvertible(line, 'mj-include names a file, and files are not read');
  }
}

type Reader = (this: Walk, element: Element, format: Format) => void;
const { container, styled, heading, list, quote, image, link, divider, table, space, links } = Walk.prototype;
const READERS: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(
    'address article body center dd div dl dt fieldset figure figcaption footer header html main nav p pre section'
      .split(' ')
      .map((name) => [name, container]),
  ),
  ...Object.fromEntries(
    'b cite code del em font i ins s small span strike strong sub sup u'.split(' ').map((name) => [name, styled]),
  ),
  ...Object.fromEntries('h1 h2 h3 h4 h5 h6'.split(' ').map((name) => [name, heading])),
  ...{ ul: list, ol: list, blockquote: quote, img: image, a: link, hr: divider, table, br: Walk.prototype.lineBreak },
  ...{ head: Walk.prototype.head, 'mj-row': Walk.prototype.row, 'mj-include': Walk.prototype.include },
  ...{ 'mj-button': Walk.prototype.mjmlButton, 'mj-spacer': space, 'mj-navbar': links, 'mj-social': links },
};
function aligned(element: Element): Format {
  const align = alignOf(element);
  return align ? { align } : {};
}
