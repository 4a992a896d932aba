import { BoundedMap } from '../../work/cache.ts';

/** Language tags of BCP 47: the languages that mail is written in, which are more than those of public pages. */

const TAG_LENGTH_MAX = 35;
const TAG = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;
const KNOWN_MAX = 1_000;
/** Recipients of a campaign have few of them, and Intl takes a microsecond for each. */
const known = new BoundedMap<string, string | null>(KNOWN_MAX);

/** fr-CA for `FR_ca`; null: the text is no tag. */
export function canonicalTag(given: unknown): string | null {
  if (typeof given !== 'string' || given.length > TAG_LENGTH_MAX) return null;
  const found = known.get(given) ?? canonical(given.trim().replaceAll('_', '-'));
  known.set(given, found);
  return found;
}

function canonical(tag: string): string | null {
  if (!TAG.test(tag)) return null;
  try {
    const [found = ''] = Intl.getCanonicalLocales(tag);
    return TAG.test(found) ? found : null;
  } catch {
    return null;
  }
}

const named = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/**
 * The canonical tag of a language to write in. null also for a word in the place of a variant, and for two letters that no language has: a
 * mistake. Codes of three letters are more than Intl has names for.
 */
export function tagToWriteIn(given: unknown): string | null {
  const tag = canonicalTag(given);
  const [language = '', ...rest] = (tag ?? '').split('-');
  const isLanguage = language.length === 3 || (language !== '' && named.of(language) !== undefined);
  const isKnown = isLanguage && (rest.length === 0 || named.of(['en', ...rest].join('-')) !== undefined);
  return isKnown ? tag : null;
}

/** fr-CA, then fr. */
function widerTags(tag: string): string[] {
  const subtags = tag.split('-');
  return subtags.map((_, index) => subtags.slice(0, subtags.length - index).join('-'));
}

/**
 * The best of `written` for a reader of `wanted`; null: the base, which is written in `base` where that is known.
 */
export function bestLanguage(written: readonly string[], base: string | null, wanted: unknown): string | null {
  const tag = written.length > 0 ? canonicalTag(wanted) : null;
  if (tag === null) return null;
  const found = widerTags(tag).find((one) => one === base || written.includes(one));
  return found === base ? null : (found ?? null);
}
