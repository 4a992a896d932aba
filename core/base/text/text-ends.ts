/** The text without these characters at its end. A pattern such as / +$/ takes quadratic time on spaces that are not at the end. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
