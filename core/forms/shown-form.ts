import type { FormText } from '../../schemas/forms.ts';
import { parseId } from '../base/ids.ts';
import type { Project } from '../base/model.ts';
import { fill } from '../base/text/languages/fill.ts';
import { type Language, languageFor, textsIn } from '../base/text/languages/index.ts';
import { textVersion } from '../consent/consents/record.ts';
import type { FormsDeps } from './deps.ts';
import type { Form } from './model.ts';

/** A form as its page shows it. */
export interface ShownForm {
  form: Form;
  project: Project;
  language: Language;
  words: Record<FormText, string>;
}

/** null: there is no such form, or it is inactive. The form alone is named, so its project is found by it. */
export async function findShownForm(
  { db }: Pick<FormsDeps, 'db'>,
  formId: string,
  asked: { lang?: string | undefined; acceptLanguage?: string | undefined },
): Promise<ShownForm | null> {
  const _id = parseId(formId);
  const form = _id && (await db.forms.findOne({ _id, isActive: true }));
  const project = form && (await db.projects.findOne({ _id: form.projectId, deletedAt: null }));
  if (!form || !project) return null;
  const language = languageFor({ property: asked.lang, acceptLanguage: asked.acceptLanguage });
  return { form, project, language, words: wordsOf(form, project, language) };
}

/** The texts of the language, but for those that the form replaces. */
export function wordsOf(
  { texts: own, doubleOptIn }: Pick<Form, 'texts' | 'doubleOptIn'>,
  { name, publicName = name }: Pick<Project, 'name' | 'publicName'>,
  language: Language,
): Record<FormText, string> {
  const { form, confirm, mails } = textsIn(language);
  const texts: Record<FormText, string> = {
    title: form.title,
    intro: '',
    button: form.submit,
    consent: form.consent,
    submitted: doubleOptIn ? form.checkMail : form.received,
    confirmed: confirm.done,
    mailSubject: mails.confirmSubject,
    mailText: mails.confirmText,
    mailButton: mails.confirmButton,
  };
  const filled = Object.entries(texts).map(([key, text]) => [key, fill(text, { name: publicName })]);
  return { ...Object.fromEntries(filled), ...own };
}

export function consentVersion({ words }: Pick<ShownForm, 'words'>): string {
  return textVersion(words.consent);
}
