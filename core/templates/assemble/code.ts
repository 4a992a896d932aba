import { TEMPLATE_LENGTH_MAX } from '../../../schemas/templates/templates.ts';
import { invalid } from '../../base/errors.ts';
import { lineStartsOf, tagsOf } from '../language/syntax.ts';
import { nameFault, type Parts } from './parts.ts';

const SNIPPET = /^\{\{>\s*([a-z][a-z0-9-]{0,39})\s*\}\}$/;
const SLOT = /^\{\{\{\s*content\s*\}\}$/;

/** Where a source has something put in. `name` of a snippet; null: the content of a layout. */
interface Place {
  start: number;
  end: number;
  name: string | null;
}

function placesIn(source: string): Place[] {
  return tagsOf(source).flatMap(({ start, end }): Place[] => {
    const tag = source.slice(start, end);
    const name = SNIPPET.exec(tag)?.[1];
    if (name) return [{ start, end, name }];
    return SLOT.test(tag) && source[end] === '}' ? [{ start, end: end + 1, name: null }] : [];
  });
}

export function snippetsInCode(source: string): string[] {
  return placesIn(source).flatMap(({ name }) => name ?? []);
}

/** The source with comments of the same length in the place of snippets: its own faults are found at their own places. */
export function withoutSnippets(source: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, name } of placesIn(source)) {
    if (name === null) continue;
    pieces.push(source.slice(from, start), '{{!');
    from = start + 3;
  }
  return [...pieces, source.slice(from)].join('');
}

/** Throws 400 with the line unless the content of mails has one place in the layout. */
export function checkSlot(source: string, field: string): void {
  const [slot, second] = placesIn(source).filter(({ name }) => name === null);
  if (!slot) throw fault('A layout needs {{{content}}} once, where the mail stands.', field, 'has no {{{content}}}');
  if (second) throw fault('A layout has {{{content}}} once.', field, `${placeOf(source, second.start)}: is the second`);
}

/** The code of a mail with its snippets, inside its layout. `self`: the snippet that the source belongs to. */
export function togetherInCode(
  source: string,
  parts: Pick<Parts, 'layout' | 'snippets'>,
  field: string,
  self?: string,
): string {
  const reader = new Reader(parts, field);
  const own = reader.read(source, self ? [self] : [], '');
  const layout = parts.layout?.code;
  return layout ? reader.read(layout, [], ` in the layout "${parts.layout?.name}":`, own) : own;
}

class Reader {
  readonly #parts: Pick<Parts, 'snippets'>;
  readonly #field: string;
  /** Each is read once, however often it is named. */
  readonly #read = new Map<string, string>();

  constructor(parts: Pick<Parts, 'snippets'>, field: string) {
    this.#parts = parts;
    this.#field = field;
  }

  read(source: string, trail: readonly string[], where: string, content?: string): string {
    const pieces: string[] = [];
    let length = source.length;
    let from = 0;
    for (const { start, end, name } of placesIn(source)) {
      if (name === null && content === undefined) continue;
      const inside = name === null ? content! : this.#snippet(name, { source, start, trail, where });
      length += inside.length;
      if (length > TEMPLATE_LENGTH_MAX)
        throw fault('The mail is too long.', this.#field, 'makes more than 1 MiB with its layout and snippets');
      pieces.push(source.slice(from, start), inside);
      from = end;
    }
    return [...pieces, source.slice(from)].join('');
  }

  #snippet(
    name: string,
    { source, start, trail, where }: { source: string; start: number; trail: readonly string[]; where: string },
  ): string {
    const part = this.#parts.snippets.get(name);
    const at = `${where} ${placeOf(source, start)}:`;
    const wrong = nameFault(name, part, { trail, isCode: true });
    if (wrong) throw fault('The snippets do not fit together.', this.#field, `${at.trim()} ${wrong}`);
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const read = this.read(part!.code!, [...trail, name], `${at} in the snippet "${name}":`);
    this.#read.set(name, read);
    return read;
  }
}

function placeOf(source: string, at: number): string {
  const starts = lineStartsOf(source.slice(0, at));
  return `line ${starts.length}, column ${at - starts.at(-1)! + 1}`;
}

function fault(message: string, field: string, sentence: string) {
  return invalid(`${message} ${field}: ${sentence}.`, `${field}: ${sentence}`);
}
