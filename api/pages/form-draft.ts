import { ObjectId } from 'mongodb';
import type { Deps } from '../../core/base/deps.ts';
import type { Project } from '../../core/base/model.ts';
import { DEFAULT_LANGUAGE, languageOfTag } from '../../core/base/text/languages/index.ts';
import type { Agreement, Form } from '../../core/forms/model.ts';
import { readInput } from '../../core/forms/read-input.ts';
import { type ShownForm, wordsOf } from '../../core/forms/shown-form.ts';
import type { previewFormBody } from '../../schemas/forms.ts';
import type { Described } from '../../schemas/schema.ts';
import type { Page } from '../http/endpoint.ts';
import { confirmPage } from './confirm.ts';
import { formPage, submittedPage } from './form.ts';

type Draft = Described<typeof previewFormBody>;

/** Whose subscription the page of a confirmation shows. */
const EMAIL = 'preview@example.com';

/** A page of a form that is not stored, as the public one is made. Throws 400 for fields that no form may have. */
export function draftPage(
  { clock }: Pick<Deps, 'clock'>,
  project: Project,
  { page = 'form', lang, ...input }: Draft,
): string {
  const form = formOf(project, input, clock.now());
  const language = languageOfTag(lang) ?? DEFAULT_LANGUAGE;
  const shown: ShownForm = { form, project, language, words: wordsOf(form, project, language) };
  switch (page) {
    case 'form':
      return textOf(formPage(shown, ''));
    case 'submitted':
      return textOf(submittedPage(shown));
    case 'confirmed':
      return textOf(confirmPage({ project, form, language, state: { kind: 'confirmed' } }));
    case 'confirm':
      return textOf(confirmPage({ project, form, language, state: waiting(shown, clock.now()) }));
  }
}

function formOf({ _id: projectId }: Project, input: Omit<Draft, 'page' | 'lang'>, at: Date): Form {
  return {
    ...{ _id: new ObjectId(), projectId, name: '', listIds: [], fields: [], doubleOptIn: true, texts: {} },
    ...{ redirectTo: { submitted: null, confirmed: null }, allowedOrigins: [], confirmationTemplateId: null },
    ...{ unsubscribeGroupIds: [], isActive: true, createdAt: at, updatedAt: at },
    ...readInput(input),
  };
}

function waiting({ form, words, language }: ShownForm, at: Date) {
  const agreement: Agreement = {
    ...{ formId: form._id, listIds: [], groupIds: [], fields: {} },
    ...{ consent: words.consent, language, askedAt: at, networkAddress: null },
  };
  const { _id, projectId } = form;
  const agreements = [agreement];
  const pending = {
    ...{ _id, projectId, email: EMAIL, agreements, revision: 1, confirmedAt: null },
    ...{ formId: _id, language, createdAt: at, expiresAt: at },
  };
  return { kind: 'waiting' as const, pending, email: EMAIL, agreements, values: [] };
}

function textOf({ content }: Page): string {
  return content === null ? '' : content.toString();
}
