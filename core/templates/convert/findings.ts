import { type Element, isElement } from './tree.ts';
import { badAddress, plain } from './words.ts';

/** Said about a line of the source: what is left out, or has become something else. */
export interface Note {
  line: number;
  text: string;
}

const HIDDEN = 'hidden text; the words behind the subject are the previewText';
const NOTES_MAX = 100;

/** Of the whole source, whichever of its elements is read. */
export class Findings {
  readonly notes: Note[] = [];
  title = '';
  #blocks = 0;

  note(line: number, text: string): void {
    const { notes } = this;
    if (notes.length < NOTES_MAX && !notes.some((one) => one.text === text && one.line === line))
      notes.push({ line, text });
  }

  leaveOut({ line }: Element, what: string): void {
    this.note(line, `left out: ${what}`);
  }

  leaveOutHidden(element: Element): void {
    if (element.children.length > 0) this.leaveOut(element, HIDDEN);
  }

  /** The id of the next block. */
  nextId(): string {
    this.#blocks += 1;
    return `b${this.#blocks}`;
  }

  address({ line, attributes }: Element, kind: 'href' | 'src'): string | undefined {
    const address = attributes[kind];
    if (!address) return undefined;
    const fault = badAddress(address, kind);
    if (!fault) return address;
    this.note(line, `left out: the ${kind} ${address.slice(0, 80)}, which ${fault}`);
    return undefined;
  }

  ofHead({ children, line }: Element): void {
    for (const child of children.filter(isElement)) {
      const [first] = child.children;
      if ((child.name === 'title' || child.name === 'mj-title') && first && !isElement(first))
        this.title = plain(first.text).trim();
    }
    if (children.some((child) => isElement(child) && !['title', 'meta', 'mj-title', 'mj-preview'].includes(child.name)))
      this.note(line, 'left out: the styles of the head; look has the colours and the font of all blocks');
  }
}
