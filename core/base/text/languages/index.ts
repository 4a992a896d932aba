import type { Project, PropertyValue } from '../../model.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';

export type { Texts } from './en.ts';

/** A language is one file with the texts of English, and its line here. */
const all = { en, de, fr, es, it };

export type Language = keyof typeof all;

export const LANGUAGES = Object.keys(all) as Language[];
export const DEFAULT_LANGUAGE: Language = 'en';

/** The contact property that a project has its language in when it names no other. */
export const LANGUAGE_PROPERTY = 'language';

const TAG_LENGTH_MAX = 35;
const HEADER_LENGTH_MAX = 1_000;
const RANGES_MAX = 20;

export function textsIn(language: Language): Texts {
  return all[language];
}

/** The language of a tag: de for `de`, `de-AT` and `DE_at`; null: there are no texts in it. */
export function languageOfTag(tag: unknown): Language | null {
  if (typeof tag !== 'string' || tag.length > TAG_LENGTH_MAX) return null;
  const [primary = ''] = tag.trim().toLowerCase().replaceAll('_', '-').split('-');
  return Object.hasOwn(all, primary) ? (primary as Language) : null;
}

/** `property`: the value of the contact that says its language. Values without texts here leave the choice to the browser. */
export function languageFor({
  property,
  acceptLanguage = '',
}: {
  property?: unknown;
  acceptLanguage?: string | undefined;
}): Language {
  return languageOfTag(property) ?? preferred(acceptLanguage) ?? DEFAULT_LANGUAGE;
}

/** The contact property in which a project has the language of a person. */
export function propertyOfLanguage({
  languageProperty = LANGUAGE_PROPERTY,
}: Pick<Project, 'languageProperty'>): string {
  return languageProperty;
}

/** Of a page or a mail for a person: the property that the project names, then the browser. */
export function languageOf(
  project: Pick<Project, 'languageProperty'>,
  contact: { contactProperties: Record<string, PropertyValue> } | null,
  acceptLanguage?: string,
): Language {
  const { contactProperties = {} } = contact ?? {};
  const name = propertyOfLanguage(project);
  const property = Object.hasOwn(contactProperties, name) ? contactProperties[name] : undefined;
  return languageFor({ property, acceptLanguage });
}

/** RFC 9110 12.5.4: of the ranges that have texts, the first with the highest weight; `*` chooses nothing. */
function preferred(acceptLanguage: string): Language | null {
  let best: { language: Language; weight: number } | null = null;
  for (const range of acceptLanguage.slice(0, HEADER_LENGTH_MAX).split(',', RANGES_MAX)) {
    const [tag = '', ...parameters] = range.split(';');
    const language = languageOfTag(tag);
    const weight = weightOf(parameters);
    if (language && weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language ?? null;
}

/** A weight that cannot be read is 0. */
function weightOf(parameters: readonly string[]): number {
  const given = parameters.map((parameter) => parameter.trim().toLowerCase()).find((text) => text.startsWith('q='));
  if (given === undefined) return 1;
  return /^[01](\.\d{0,3})?$/.test(given.slice(2)) ? Math.min(1, Number(given.slice(2))) : 0;
}
