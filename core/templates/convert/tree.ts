import { decodeHTML } from 'entities';
import { Parser } from 'htmlparser2';
import { breather } from '../../base/work/breathe.ts';

/** The source of a mail as a tree, read in pieces with pauses between them. */

export interface Element {
  name: string;
  attributes: Readonly<Record<string, string>>;
  line: number;
  children: Node[];
}
export interface Text {
  text: string;
  line: number;
}
export type Node = Element | Text;

/** Some milliseconds of work. */
const PIECE_LENGTH = 16_384;
/** Deeper ones take a time that grows with the square of the depth. */
const DEPTH_MAX = 100;
/** Of attributes; addresses are shorter. */
const VALUE_MAX = 4_000;
const NODES_MAX = 10_000;
const KNOWN = new Set(
  'align alt background-color bgcolor border border-color border-width class color direction height href lang name path role src style title width'.split(
    ' ',
  ),
);

/** No content blocks can be made of the source. */
export class NotConvertible extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** `isXml`: an element may close itself. */
export async function readTree(source: string, isXml: boolean): Promise<Element> {
  const pause = breather();
  const reader = new Reader(source, isXml);
  for (let at = 0; at < source.length; at += PIECE_LENGTH) {
    reader.read(source.slice(at, at + PIECE_LENGTH));
    await pause();
  }
  return reader.end();
}

export function isElement(node: Node): node is Element {
  return 'name' in node;
}

class Reader {
  readonly #source: string;
  readonly #root: Element = { name: '', attributes: {}, line: 1, children: [] };
  readonly #open: Element[] = [this.#root];
  readonly #parser: Parser;
  #nodes = 0;
  #line = 1;
  #counted = 0;

  constructor(source: string, isXml: boolean) {
    this.#source = source;
    const handler = {
      onopentag: (name: string, attributes: Record<string, string>) => this.#enter(name, attributes),
      onclosetag: () => this.#leave(),
      ontext: (text: string) => this.#add(text),
    };
    // Entities are read behind the tags of the template language: an author writes braces as entities to show them.
    this.#parser = new Parser(handler, { decodeEntities: false, recognizeSelfClosing: isXml });
  }

  read(piece: string): void {
    this.#parser.write(piece);
  }

  end(): Element {
    this.#parser.end();
    return this.#root;
  }

  #enter(name: string, given: Record<string, string>): void {
    const known = Object.entries(given).filter(([attribute]) => KNOWN.has(attribute));
    const attributes = Object.fromEntries(
      known.map(([attribute, value]) => [attribute, decodeHTML(value.slice(0, VALUE_MAX)).trim()]),
    );
    const element = { name, attributes, line: this.#lineNow(), children: [] };
    this.#count(element);
    this.#open.at(-1)!.children.push(element);
    if (this.#open.push(element) > DEPTH_MAX)
      throw new NotConvertible(element.line, `elements are more than ${DEPTH_MAX} deep`);
  }

  #leave(): void {
    if (this.#open.length > 1) this.#open.pop();
  }

  #add(text: string): void {
    const last = this.#open.at(-1)!.children.at(-1);
    if (last && !isElement(last)) last.text += text;
    else {
      const node = { text, line: this.#lineNow() };
      this.#count(node);
      this.#open.at(-1)!.children.push(node);
    }
  }

  #count({ line }: Node): void {
    this.#nodes += 1;
    if (this.#nodes > NODES_MAX) throw new NotConvertible(line, `there are more than ${NODES_MAX} elements and texts`);
  }

  #lineNow(): number {
    for (; this.#counted < this.#parser.startIndex; this.#counted += 1)
      if (this.#source.charCodeAt(this.#counted) === 10) this.#line += 1;
    return this.#line;
  }
}
