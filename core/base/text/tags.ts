import { invalid } from '../errors.ts';

/** A mark that the caller gives mail, to find and to count it by. */
export interface Tag {
  name: string;
  value: string;
}

interface Tagged {
  /** "name:value"; no name and no value has a colon. Not set without tags, so that other mail pays nothing for them. */
  tags?: string[];
}

/** As they are stored. `field` is where the call gives them. */
export function storedTags(tags: readonly Tag[] | undefined, field: string): string[] {
  const repeated = repeatedName(tags);
  if (repeated !== null) throw invalid('A mail has each tag once.', `${field}: has the name ${repeated} twice`);
  return (tags ?? []).map(({ name, value }) => `${name}:${value}`);
}

export function repeatedName(tags: readonly Tag[] = []): string | null {
  const names = tags.map(({ name }) => name);
  return names.find((name, index) => names.indexOf(name) < index) ?? null;
}

/** As answers and events show them. */
export function shownTags({ tags = [] }: Tagged): Tag[] {
  return tags.map((tag) => {
    const end = tag.indexOf(':');
    return { name: tag.slice(0, end), value: tag.slice(end + 1) };
  });
}

/** The field of a document, if there are any. */
export function taggedWith(tags: string[] | undefined): Tagged {
  return tags && tags.length > 0 ? { tags } : {};
}
