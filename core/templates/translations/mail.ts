import { oncePerCore } from '../../base/deps.ts';
import { AppError } from '../../base/errors.ts';
import type { Project, PropertyValue } from '../../base/model.ts';
import { propertyOfLanguage } from '../../base/text/languages/index.ts';
import { bestLanguage, canonicalTag } from '../../base/text/languages/tags.ts';
import { BoundedMap } from '../../base/work/cache.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { HtmlOfMail } from '../media/inline.ts';
import type { LanguageMail, Template } from '../model.ts';
import { brandOf } from '../project-brand.ts';
import { baseLanguage, compiledIn } from '../translated/compile.ts';
import { languageId } from '../translated/store.ts';
import { numbersOf } from '../versions.ts';

type NeededDeps = Pick<TemplatesDeps, 'db' | 'state'>;
/** With the content of one of its versions; the published one where it is not said. */
interface At {
  template: Template;
  version?: number;
}

const KEPT_MAX = 100;
/** Longer ones are read for each mail. */
const KEPT_LENGTH_MAX = 200_000;
const kept = oncePerCore((_deps: NeededDeps) => new BoundedMap<string, LanguageMail>(KEPT_MAX));

/** The language of a template for a reader of `wanted`; null: that of the base. */
export function languageIn(template: Template, wanted: unknown): string | null {
  const written = (template.translations ?? []).map(({ language }) => language);
  return written.length === 0 ? null : bestLanguage(written, canonicalTag(baseLanguage(template)), wanted);
}

export function isTranslated({ translations = [] }: Pick<Template, 'translations'>): boolean {
  return translations.length > 0;
}

/** The value of the contact's property; undefined: it has none. */
export function languageOfContact(project: Pick<Project, 'languageProperty'>, contact: Reader): unknown {
  const name = propertyOfLanguage(project);
  const { contactProperties = {} } = contact ?? {};
  return Object.hasOwn(contactProperties, name) ? contactProperties[name] : undefined;
}

/** A language that the call names, or the one that the contact reads. */
export async function mailFor(
  deps: NeededDeps,
  project: Pick<Project, 'languageProperty'>,
  at: At,
  { language, contact }: { language?: string | undefined; contact: Reader },
): Promise<LanguageMail> {
  return mailIn(deps, at, languageIn(at.template, language ?? languageOfContact(project, contact)));
}

type Reader = { contactProperties: Record<string, PropertyValue> } | null;

/** The sources of a template's mail; null: the base. */
export async function mailIn(
  deps: NeededDeps,
  { template, version }: At,
  language: string | null,
): Promise<LanguageMail> {
  if (language !== null) return mailInLanguage(deps, { template, version: version ?? publishedOf(template) }, language);
  const { subject, previewText, emailTemplate: html, text = null } = template;
  return { subject, previewText, html, text };
}

/** Of the base and of each other language. A draft with a fault in one of them has none there: that is refused when it is published. */
export async function htmlInLanguages(deps: NeededDeps, template: Template): Promise<HtmlOfMail[]> {
  const all: HtmlOfMail[] = [{ html: template.emailTemplate }];
  for (const { language } of template.translations ?? []) {
    const html = await mailIn(deps, { template }, language).then((mail) => mail.html, faultOfDraft);
    if (html !== null) all.push({ html, language });
  }
  return all;
}

function faultOfDraft(error: unknown): null {
  if (error instanceof AppError && error.kind === 'invalid') return null;
  throw error;
}

async function mailInLanguage(
  deps: NeededDeps,
  { template, version }: Required<At>,
  language: string,
): Promise<LanguageMail> {
  const id = languageId(template, version, language);
  const known = kept(deps).get(id);
  if (known) return known;
  const { projectId } = template;
  const found =
    version === publishedOf(template) ? await deps.db.templateLanguages.findOne({ _id: id, projectId }) : null;
  // Drafts are not compiled before they are published.
  if (!found) return compiledNow(deps, template, language);
  const { subject, previewText, html, text } = found;
  const mail = { subject, previewText, html, text };
  if (html.length + (text?.length ?? 0) <= KEPT_LENGTH_MAX) kept(deps).set(id, mail);
  return mail;
}

async function compiledNow(deps: NeededDeps, template: Template, language: string): Promise<LanguageMail> {
  const translation = template.translations?.find((one) => one.language === language);
  if (!translation) return mailIn(deps, { template }, null);
  const project = { _id: template.projectId };
  return compiledIn(deps, template, translation, { project, brand: await brandOf(deps, project) });
}

function publishedOf(template: Template): number {
  return numbersOf(template).published;
}
