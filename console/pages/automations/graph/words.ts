const VARIABLE = /\{\{\{?\s*([#/]?)\s*([^}]*?)\s*\}?\}\}/g;

/** A subject for people: 'Welcome, [first name]' for 'Welcome, {{firstName default="you"}}'; what only decides is left out. */
export function readable(text: string): string {
  const words = text.replace(VARIABLE, (_, block: string, inside: string) => {
    const [name = ''] = inside.split(/\s/);
    return block || name === 'else' ? '' : `[${wordsOf(name)}]`;
  });
  return words.replace(/\s+/g, ' ').trim();
}

/** 'first name' for 'contactProperties.firstName'. */
function wordsOf(name: string): string {
  const last = name.split('.').at(-1) ?? name;
  return last.replace(/_/g, ' ').replace(/([a-z\d])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);
}

/** By so much wider than most letters are these. */
const WIDE: ReadonlyArray<readonly [RegExp, number]> = [
  [/[MWmw@%—]/u, 1.7],
  [/\p{Lu}/u, 1.3],
  [/\p{Extended_Pictographic}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u, 2],
];
const WIDEST = 2;

/** As much of a text as fits where `max` letters have room. Guessed: measuring would need the page. */
export function cut(text: string, max: number): string {
  if (text.length * WIDEST <= max) return text;
  let room = max;
  let shown = '';
  for (const letter of text) {
    room -= WIDE.find(([those]) => those.test(letter))?.[1] ?? 1;
    if (room < 0) return `${shown.slice(0, -1).trimEnd()}…`;
    shown += letter;
  }
  return text;
}
