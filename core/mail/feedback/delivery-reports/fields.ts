/** Groups of fields, as delivery and feedback reports have them: groups end at an empty line, names are compared without case. */
export function fieldGroups(text: string): Map<string, string>[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
    .map(fieldsOf)
    .filter((fields) => fields.size > 0);
}

/** The first field of each name; folded lines are joined. */
export function fieldsOf(block: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of block
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')) {
    const [, name, value] = /^([\w-]+)[ \t]*:(.*)$/s.exec(line) ?? [];
    if (name && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), (value ?? '').trim());
  }
  return fields;
}

/** Tried only where a word begins: anywhere else the search would take quadratic time. */
const ADDRESS = /(?<![^\s<>;,"])[^\s<>;,"]+@[^\s<>;,"]+/;

/** "rfc822; <a@b.c>" and "a@b.c" both become a@b.c; null without an address. */
export function addressIn(text: string | undefined): string | null {
  const value = (text ?? '').replace(/^[\w-]+\s*;/, '');
  return ADDRESS.exec(value)?.[0].toLowerCase() ?? null;
}
