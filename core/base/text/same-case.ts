// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters of ASCII.
const ASCII = /^[\u0000-\u007f]*$/;
/** Letters whose upper case is written with two characters, and which are the same letter all the same. */
const TWINS: Record<string, string> = { '\u1fd3': '\u0390', '\u1fe3': '\u03b0', '\ufb05': '\ufb06' };
/** Its upper case is that of another letter. */
const DOTLESS_I = '\u0131';

/**
 * The text with one letter for all that are equal without case, by the simple folding of Unicode: each character becomes one character, so
 * ß is not ss and İ is not i. Patterns with the flags `iu` compare by the same rule.
 */
export function sameCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += fold(character);
  return folded;
}

function fold(character: string): string {
  if (character === DOTLESS_I) return character;
  const upper = character.toUpperCase();
  const lower = (isOne(upper) ? upper : character).toLowerCase();
  const folded = isOne(lower) ? lower : character;
  return TWINS[folded] ?? folded;
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff);
}
