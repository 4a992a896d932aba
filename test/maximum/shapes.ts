/** Texts that are slow for code which is careless about one of them; each is cut to the length that its place may have. */
export const SHAPES = {
  'one letter': run('a'),
  'an almost-match': (length) => `${'a'.repeat(Math.max(0, length - 1))}b`,
  dashes: run('-'),
  'open tags': run('<a '),
  'elements inside each other': run('<ul><li>'),
  quotes: run('"'),
  'open comments': run('(('),
  'open expressions': run('{{'),
  'expressions inside each other': run('{{#if a}}'),
  'closed expressions': run('{{a}}'),
  spaces: run(' '),
  commas: run(',;'),
  'letters that change their length': run('İßﬁ'),
  base64: run('QUJD'),
  'line ends': run('\r\n'),
  'links and addresses': run('http://a.b@'),
  'encoded words': run('=?utf-8?Q?'),
  backslashes: run('\\'),
} satisfies Record<string, (length: number) => string>;

export type Shape = keyof typeof SHAPES;
export const shapeNames = Object.keys(SHAPES) as Shape[];

/** Begins with a word of its own, so that no cache knows it, and is never empty. */
export function textOf(shape: Shape, length: number, word = 'x'): string {
  return (word + SHAPES[shape](Math.max(0, length - word.length))).slice(0, length).toWellFormed();
}

/** A text that others are searched for: of the same shape or of another, with a letter that is in few of them at a place of it, or with none. */
export interface Needle {
  shape: Shape;
  oddAt: number | null;
}

/** A part of the length up to 1, else a number of letters. Some searches are slow for one of these places alone. */
const ODD_PLACES = [0, 9, 0.5, 1, null];

/** Half of them of the shape of the text: a search finds those nearly everywhere. */
export function needleFor(text: Shape, seed: number): Needle {
  const random = numbersOf(seed);
  const shape = random() < 0.5 ? text : shapeNames[Math.floor(random() * shapeNames.length)]!;
  return { shape, oddAt: ODD_PLACES[Math.floor(random() * ODD_PLACES.length)]! };
}

export function needleOf({ shape, oddAt }: Needle, length: number): string {
  const text = textOf(shape, length, '');
  if (oddAt === null) return text;
  const at = Math.min(length - 1, oddAt <= 1 ? Math.floor(oddAt * length) : oddAt);
  return `${text.slice(0, at)}b${text.slice(at + 1)}`.toWellFormed();
}

function run(piece: string): (length: number) => string {
  return (length) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

/** The same numbers for the same seed (mulberry32). */
export function numbersOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
