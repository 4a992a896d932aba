import type { Utm } from '../../../client/index.ts';

export const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const;

/** UTM parameters as texts, by the names of the interface. */
export type UtmTexts = Record<`utm/${(typeof utmNames)[number]}`, string>;

export function textsOfUtm(utm: Utm | null | undefined): UtmTexts {
  return Object.fromEntries(utmNames.map((name) => [`utm/${name}`, utm?.[name] ?? ''])) as UtmTexts;
}

/** As the interface takes it: fields that are empty are left out, and without any of them there is none. */
export function utmIn(texts: UtmTexts): Utm | null {
  const given = utmNames.map((name) => [name, texts[`utm/${name}`].trim()]).filter(([, value]) => value);
  return given.length > 0 ? Object.fromEntries(given) : null;
}
