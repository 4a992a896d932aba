import { unprocessable } from '../../base/errors.ts';
import type { Project, Utm } from '../../base/model.ts';
import { breathe } from '../../base/work/breathe.ts';
import { assembled } from '../../templates/assemble/assemble.ts';
import { compiledOnce } from '../../templates/cache.ts';
import { type Template as CompiledText, type Variables, variableOf } from '../../templates/language/templates.ts';
import { TemplateRenderError } from '../../templates/language/values.ts';
import { checkData, compileMail, type MailSource, type MailTemplates } from '../../templates/mail.ts';
import type { Template } from '../../templates/model.ts';
import { readTemplate } from '../../templates/publish.ts';
import { isTranslated, mailFor } from '../../templates/translations/mail.ts';
import { compiledHeaders, headersInCampaign } from '../compose/headers.ts';
import type { MailPages } from '../compose/links.ts';
import { type RenderedMail, renderMail, untrackedLinks } from '../compose/render.ts';
import { campaignVariables, type NamedCampaign, type TemplateContact, variablesOf } from '../compose/variables.ts';
import type { MailDeps } from '../deps.ts';
import { contactNamed, type NamedContact } from './contacts.ts';
import { markedLink, withFigures } from './link-figures.ts';
import { keepDraft, type PreviewLink } from './links.ts';

/** Content that is shown before it is sent, with the data to fill in. */
export interface Draft {
  source: MailSource;
  utm: Utm | null;
  /** Filled in as a campaign is: properties of the contact by their bare names. */
  isCampaign: boolean;
  campaign?: NamedCampaign;
  contact: (TemplateContact & { email: string }) | null;
  data: Record<string, unknown>;
  /** Of a campaign: sources of values, by name. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** When it is sent; left out: now. */
  at?: Date | undefined;
  /** Figures to draw behind the links, by the number of the link in the content. */
  figures?: ReadonlyMap<number, number> | undefined;
}

export interface DraftPreview extends RenderedMail, PreviewLink {
  html: string;
  text: string;
  headers?: Record<string, string>;
  variables: FoundVariable[];
}

/** A variable that the content names; without a value it is empty, or its default. */
interface FoundVariable {
  name: string;
  hasValue: boolean;
}

const NO_CONTACT = 'preview@example.com';

type Given = NamedContact & { dynamicData?: object | undefined };

/** A saved template, or one of its versions. */
export async function previewTemplate(
  deps: MailDeps,
  project: Project,
  templateId: string,
  { version, language, ...given }: Given & { version?: string | undefined; language?: string | undefined },
): Promise<DraftPreview> {
  checkData(given.dynamicData, 'dynamicData');
  const at = await readTemplate(deps, project, templateId, version);
  const contact = isTranslated(at.template) ? await contactNamed(deps, project, given) : null;
  const { html: emailTemplate, ...texts } = await mailFor(deps, project, at, { language, contact });
  return previewSource(deps, project, { ...at.template, ...texts, emailTemplate }, given);
}

/** Code as it is written, with its layout and snippets. */
export async function previewWritten(
  deps: MailDeps,
  project: Pick<Project, '_id'>,
  { layoutId, ...written }: DraftSource & { layoutId?: string | null | undefined } & Given,
): Promise<DraftPreview> {
  const { emailTemplate } = await assembled(deps, project, { code: written.emailTemplate, layoutId });
  return previewSource(deps, project, { ...written, emailTemplate, text: null }, written);
}

type DraftSource = Pick<Template, 'emailTemplate'> &
  Partial<Pick<Template, 'subject' | 'previewText' | 'text' | 'templateType' | 'utm'>>;

/** A template as an editor has it, saved or not. */
async function previewSource(
  deps: MailDeps,
  project: Pick<Project, '_id'>,
  { subject = '', previewText = '', emailTemplate, text = null, templateType, utm = null }: DraftSource,
  { dynamicData, ...named }: Given,
): Promise<DraftPreview> {
  checkData(dynamicData, 'dynamicData');
  await breathe(emailTemplate);
  const source = { subject, previewText, html: emailTemplate, text };
  const templates = compileMail(source, compileDraft);
  const contact = await contactNamed(deps, project, named);
  const isCampaign = templateType === 'marketing';
  return previewDraft(deps, project, { source, utm, isCampaign, contact, data: { ...dynamicData } }, templates);
}

const compileDraft: typeof compiledOnce = (source, kind, field) =>
  compiledOnce(source, kind, field === 'html' ? 'emailTemplate' : field);

/** Rendered as the mail is, without links of a recipient: neither counts as opened, clicked or unsubscribed. */
export async function previewDraft(
  deps: MailDeps,
  project: Pick<Project, '_id'>,
  draft: Draft,
  templates: MailTemplates,
): Promise<DraftPreview> {
  await breathe(draft.source.html);
  const variables = variablesOfDraft(deps, draft);
  const rendered = await renderForPreview(deps, draft, templates, variables);
  const html = rendered.html ?? '';
  const { headers } = draft;
  const shown = headers && { headers: await orRefuse(() => headersInCampaign(headers, variables)) };
  const { subject, previewText, html: page, text } = templates;
  const named = [subject, previewText, page, text, ...compiledHeaders(headers ?? {}).map(([, value]) => value)];
  const link = await keepDraft(deps, project, html);
  return { ...rendered, html, text: rendered.text ?? '', ...shown, variables: variablesIn(named, variables), ...link };
}

/** Throws 422 for data that it cannot be rendered with. */
export async function renderForPreview(
  { config }: Pick<MailDeps, 'config'>,
  { source, utm, figures }: Pick<Draft, 'source' | 'utm' | 'figures'>,
  templates: MailTemplates,
  variables: Variables,
): Promise<RenderedMail> {
  const untracked = untrackedLinks(config, utm);
  const pages = previewPages({ config });
  const marked = figures && markedLink(figures, untracked?.link);
  const mail = await orRefuse(() =>
    renderMail({ source, templates, untracked }, variables, { pages, trackedLink: marked }),
  );
  return figures ? { ...mail, html: mail.html && withFigures(mail.html, figures) } : mail;
}

async function orRefuse<T>(render: () => T | Promise<T>): Promise<T> {
  try {
    return await render();
  } catch (error) {
    if (!(error instanceof TemplateRenderError)) throw error;
    throw unprocessable('TEMPLATE_RENDER_FAILED', `The template fails with these data: ${error.message}`);
  }
}

/** They lead nowhere: a person who looks at a preview does not unsubscribe the recipient. */
export function previewPages({ config: { publicUrl } }: Pick<MailDeps, 'config'>): MailPages {
  return {
    unsubscribe: `${publicUrl}/u/preview`,
    preferencesUrl: `${publicUrl}/p/preview`,
    viewInBrowserUrl: `${publicUrl}/v/preview`,
  };
}

function variablesOfDraft(
  deps: MailDeps,
  { isCampaign, campaign, contact, data, at = deps.clock.now() }: Draft,
): Variables {
  const mail = {
    email: contact?.email ?? NO_CONTACT,
    at,
    pages: previewPages(deps),
    contact,
  };
  return isCampaign ? { ...campaignVariables(mail, campaign), ...data } : variablesOf(mail, data);
}

/** In the order in which the content names them. */
function variablesIn(templates: readonly (CompiledText | null)[], variables: Variables): FoundVariable[] {
  const named = templates.flatMap((template) => template?.paths ?? []);
  return [...new Set(named)].filter(Boolean).map((name) => {
    const value = variableOf(variables, name);
    return { name, hasValue: value !== undefined && value !== null && value !== '' };
  });
}
