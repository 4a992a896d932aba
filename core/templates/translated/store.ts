import { madeOutside } from '../../base/database/transactions.ts';
import { invalid } from '../../base/errors.ts';
import type { Project, Session } from '../../base/model.ts';
import { breather } from '../../base/work/breathe.ts';
import type { Instead, PartsRead } from '../assemble/read.ts';
import type { Brand } from '../blocks/brand.ts';
import type { TemplatesDeps } from '../deps.ts';
import type { LanguageMail, Template, TemplateContent, TemplateLanguage, Translation } from '../model.ts';
import { brandOf } from '../project-brand.ts';
import { compiledIn, mailMadeWith, markOf, withParts } from './compile.ts';

type Of = Pick<Template, '_id' | 'projectId' | 'templateId'>;

/** Of the mails of all languages together: a campaign keeps them in one document. */
const MAILS_BYTES_MAX = 6 * 1024 * 1024;

/**
 * In the transaction that publishes the version: mail in another language is read, and not made again. Twenty long ones take seconds, so
 * they are made outside it.
 */
export async function storeLanguages(
  deps: Pick<TemplatesDeps, 'db'>,
  session: Session,
  { _id, projectId, templateId }: Of,
  version: number,
  content: TemplateContent,
): Promise<void> {
  if (!content.translations?.length) return;
  const key = `languages ${markOf(JSON.stringify(content))}`;
  const mails = await madeOutside(session, key, () => mailsIn(deps, { projectId }, content));
  const stored = mails.map(({ language, ...mail }): TemplateLanguage => {
    return { _id: languageId({ _id }, version, language), projectId, templateId, version, language, ...mail };
  });
  await deps.db.templateLanguages.insertMany(stored, { session });
}

async function mailsIn(
  deps: Pick<TemplatesDeps, 'db'>,
  { projectId: _id }: Pick<Template, 'projectId'>,
  content: TemplateContent,
): Promise<Array<LanguageMail & { language: string }>> {
  const { translations = [] } = content;
  const brand = await brandOf(deps, { _id });
  const read: PartsRead = new Map();
  const pause = breather();
  const mails: Array<LanguageMail & { language: string }> = [];
  let bytes = 0;
  for (const translation of translations) {
    await pause();
    const { language } = translation;
    const making = { project: { _id }, brand, read, path: `translations/${language}/` };
    const mail = mailMadeWith(translation) ?? (await compiledIn(deps, content, translation, making));
    bytes += Buffer.byteLength(mail.html) + Buffer.byteLength(mail.text ?? '');
    if (bytes > MAILS_BYTES_MAX)
      throw invalid(
        'The mails of all languages have more than 6 MiB together.',
        `translations/${language}: makes with those before it more than ${MAILS_BYTES_MAX} bytes`,
      );
    mails.push({ language, ...mail });
  }
  return mails;
}

/** Those whose own code names parts, with the parts as they are now; the others follow from the base. */
export async function translationsNow(
  deps: Pick<TemplatesDeps, 'db'>,
  project: Pick<Project, '_id'>,
  content: TemplateContent,
  { brand, ...making }: { brand?: Brand | undefined; instead?: Instead | undefined; read?: PartsRead | undefined } = {},
): Promise<Translation[]> {
  const { translations = [] } = content;
  if (!translations.some(({ parts }) => parts)) return translations;
  const all = { ...making, project, brand: brand ?? (await brandOf(deps, project)) };
  const now: Translation[] = [];
  for (const one of translations) {
    const path = `translations/${one.language}/`;
    now.push(one.parts ? await withParts(deps, content, one, { ...all, path }) : one);
  }
  return now;
}

export function languageId({ _id }: Pick<Template, '_id'>, version: number, language: string): string {
  return `${_id.toHexString()}:${version}:${language}`;
}
