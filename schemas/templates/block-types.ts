/** The types of schemas/templates/blocks.ts, which a schema without references cannot give, since blocks may have other blocks inside. */

export interface Look {
  width?: number;
  background?: string;
  paper?: string;
  colour?: string;
  accent?: string;
  font?: 'sans' | 'serif' | 'mono';
  families?: string[];
  language?: string;
}

export interface Content {
  v: 1;
  look?: Look;
  blocks: Block[];
}

/** One of text, variable and break. */
export interface Span {
  text?: string;
  variable?: string;
  fallback?: string;
  break?: true;
  bold?: boolean;
  italic?: boolean;
  href?: string;
  colour?: string;
}

export type Align = 'left' | 'center' | 'right';

export interface TextNode {
  type: 'paragraph' | 'list';
  spans?: Span[];
  align?: Align;
  ordered?: boolean;
  items?: Span[][];
}

export interface Test {
  variable: string;
  is: 'set' | 'unset' | 'equals' | 'notEquals' | 'greaterThan' | 'lessThan';
  value?: string | number;
}

interface LinksInRow {
  links: Array<{ label: string; href: string }>;
  align?: Align;
}

interface Branches {
  blocks: Block[];
  otherwise?: Block[];
}

/** The fields of each type, without id and type. */
interface Fields {
  text: { nodes: TextNode[] };
  heading: { level: 1 | 2 | 3; spans: Span[]; align?: Align };
  image: { src: string; alt: string; title?: string; href?: string; width?: number; align?: Align };
  button: { spans: Span[]; href: string; background?: string; colour?: string; align?: Align };
  columns: { columns: Array<{ share: number; blocks: Block[] }> };
  divider: { colour?: string; thickness?: number };
  space: { height: number };
  social: LinksInRow;
  menu: LinksInRow;
  quote: { spans: Span[]; by?: string };
  table: { head?: string[]; align?: Align[]; rows: Span[][][] };
  video: { href: string; src: string; alt: string; label?: string; width?: number };
  signature: { name: string; lines?: Span[][]; src?: string; alt?: string };
  header: { name: string; src?: string; href?: string; width?: number; align?: Align };
  footer: { spans?: Span[]; unsubscribe: string; preferences?: string };
  html: { html: string };
  when: { match?: 'all' | 'any'; tests: Test[] } & Branches;
  each: { list: string } & Branches;
  /** `blocks`: those of the snippet, once it is put in. */
  snippet: { name: string; blocks?: Block[] };
  /** Of a layout. `blocks`: those of the mail, once they are put in. */
  content: { blocks?: Block[] };
}

export type BlockType = keyof Fields;
type BlocksByType = { [Type in BlockType]: { id: string; type: Type } & Fields[Type] };

/** A content block, of one type or of any. */
export type Block<Type extends BlockType = BlockType> = BlocksByType[Type];
