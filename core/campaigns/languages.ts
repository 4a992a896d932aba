import type { Project, PropertyValue } from '../base/model.ts';
import { propertyOfLanguage } from '../base/text/languages/index.ts';
import { bestLanguage, canonicalTag } from '../base/text/languages/tags.ts';
import { compiled } from '../templates/cache.ts';
import type { LanguageMail, Template } from '../templates/model.ts';
import { baseLanguage } from '../templates/translated/compile.ts';
import { isTranslated, languageOfContact, mailIn } from '../templates/translations/mail.ts';
import type { CampaignsDeps } from './deps.ts';
import type { Campaign, CampaignContent } from './model.ts';

type Translated = NonNullable<CampaignContent['translated']>;
type Frozen = Pick<CampaignContent, 'subject' | 'previewText' | 'html' | 'text' | 'translated'>;
type Reader = { contactProperties: Record<string, PropertyValue> } | null;

/**
 * The languages of the template as they are published. A subject or a preview text that the campaign has for itself, another than the
 * template's, is that of all languages.
 */
export async function translatedNow(
  deps: CampaignsDeps,
  { subject, previewText }: Pick<Campaign, 'subject' | 'previewText'>,
  template: Template,
  project: Pick<Project, 'languageProperty'> | null,
): Promise<Pick<CampaignContent, 'translated'>> {
  if (!isTranslated(template)) return {};
  const own = {
    ...(subject !== template.subject ? { subject } : {}),
    ...(previewText !== '' && previewText !== template.previewText ? { previewText } : {}),
  };
  const mails: Translated['mails'] = [];
  for (const { language } of template.translations ?? [])
    mails.push({ language, ...(await mailIn(deps, { template }, language)), ...own });
  const property = propertyOfLanguage(project ?? ({} as Pick<Project, 'languageProperty'>));
  return { translated: { property, base: canonicalTag(baseLanguage(template)), mails } };
}

/** null: the content itself. `language`: that of the contact where it is left out. */
export function languageOfReader(
  { translated }: Pick<CampaignContent, 'translated'>,
  contact: Reader,
  language?: string,
): string | null {
  if (!translated) return null;
  const { property: languageProperty, base, mails } = translated;
  const written = mails.map((mail) => mail.language);
  return bestLanguage(written, base, language ?? languageOfContact({ languageProperty }, contact));
}

/** The sources in a language; null: the content itself. */
export function sourceIn(content: Frozen, language: string | null): LanguageMail {
  const found = content.translated?.mails.find((mail) => mail.language === language);
  const { subject, previewText, html, text = null } = found ?? content;
  return { subject, previewText, html, text };
}

/**
 * Clicks are counted at the links of the campaign's own mail, `counted`. Translated blocks have them at the same places; a variant or code
 * of its own has the same address as often, in any place, and its other links are counted by their URL. undefined: the same places.
 */
export function linkNumberIn(content: Frozen, language: string | null, counted: string): LinkNumber | undefined {
  const { html: shown, text = null } = sourceIn(content, language);
  if (shown === counted) return;
  const [base, own] = [counted, shown].map((html) => compiled(html, 'html', 'htmlTemplate').links);
  const isOfBlocks = counted === content.html && text !== null && base!.length === own!.length;
  if (isOfBlocks) return;
  const places = Map.groupBy(base!.keys(), (index) => base![index]!.url);
  const numbers = own!.map(({ url }) => (places.get(url)?.shift() ?? -1) + 1 || undefined);
  return (link) => (link === undefined ? undefined : numbers[link - 1]);
}

type LinkNumber = (link: number | undefined) => number | undefined;

/** The mail that the reader gets. */
export function sourceFor(content: Frozen, contact: Reader, language?: string): LanguageMail {
  return sourceIn(content, languageOfReader(content, contact, language));
}
