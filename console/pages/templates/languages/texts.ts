import type { Translation } from '../../../../client/index.ts';

/** The texts of a translation by their names: 'subject', 'title/spans'. */

/** French, with the tag where the browser knows no name. */
export function nameOf(tag: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;
}

const OWN: Readonly<Record<string, string>> = {
  subject: 'Subject',
  previewText: 'Preview text',
  emailTemplate: 'Code',
};

export function labelOf(name: string): string {
  return OWN[name] ?? name.replace(/\/(nodes|spans|links)\b/g, '').replaceAll('/', ' ');
}

export function hasBlocks(bases: Translation['bases']): boolean {
  return bases.some(({ name }) => name.includes('/'));
}

export function textOf({ texts, ...own }: Translation, name: string): string {
  const end = name.indexOf('/');
  if (end < 0) return (own as unknown as Record<string, string | null>)[name] ?? '';
  const fields = (texts as Record<string, Record<string, string>>)[name.slice(0, end)];
  return fields?.[name.slice(end + 1)] ?? '';
}

/** A text of the language and that of the template, as they are next to each other. */
export interface Seen {
  base: string;
  text: string;
}

export function seenOf(translation: Translation, name: string): Seen {
  const base = translation.bases.find((one) => one.name === name)?.base ?? '';
  return { base, text: textOf(translation, name) };
}

type Texts = Record<string, Record<string, string>>;

/** All of a translation, as it is saved, with one text changed. */
export function withText(
  { subject, previewText, emailTemplate, texts, newestVersion }: Translation,
  name: string,
  text: string,
) {
  const own = { subject: subject ?? '', previewText: previewText ?? '', emailTemplate: emailTemplate ?? '' };
  const end = name.indexOf('/');
  if (end < 0) return { ...own, texts: texts as Texts, newestVersion, [name]: text };
  const [blockId, field] = [name.slice(0, end), name.slice(end + 1)];
  const fields = (texts as Record<string, object>)[blockId];
  return { ...own, newestVersion, texts: { ...(texts as Texts), [blockId]: { ...fields, [field]: text } } };
}
