import type { MailTag } from '../../../client/index.ts';

/** 'season:winter, kind:letter' */
export function textOfTags(tags: readonly MailTag[]): string {
  return tags.map(({ name, value }) => `${name}:${value}`).join(', ');
}

/** Of what was typed; a word without a colon is sent without a value, and the interface refuses it at its place. */
export function tagsIn(text: string): MailTag[] {
  return text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((word) => {
      const colon = word.indexOf(':');
      return colon < 0 ? { name: word, value: '' } : { name: word.slice(0, colon), value: word.slice(colon + 1) };
    });
}
