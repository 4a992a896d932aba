import { AppError } from '../base/errors.ts';
import type { Project } from '../base/model.ts';
import { escapeHtml } from '../base/text/html.ts';
import { DEFAULT_LANGUAGE, type Language, languageOfTag, textsIn } from '../base/text/languages/index.ts';
import { type Look, lookOf } from '../base/text/look.ts';
import { projectMailing } from '../mail/accept/project-mail.ts';
import { textOfHtml } from '../mail/compose/plain-text.ts';
import type { Mailing } from '../mail/messages/messages.ts';
import { publishedTemplate } from '../templates/find.ts';
import { renderTemplate, TemplateRenderError } from '../templates/language/templates.ts';
import { compileMail } from '../templates/mail.ts';
import { languageIn, mailIn } from '../templates/translations/mail.ts';
import type { FormsDeps } from './deps.ts';
import { CONFIRM_URL, namesConfirmUrl } from './forms.ts';
import type { Form, FormSubmission, PendingSubscription } from './model.ts';
import { wordsOf } from './shown-form.ts';
import { confirmToken } from './tokens.ts';

interface Asked {
  project: Project;
  form: Form;
  pending: Pick<PendingSubscription, '_id' | 'language'>;
  submission: Pick<FormSubmission, '_id' | 'email'>;
}

interface Written {
  subject: string;
  html: string;
  text: string;
}

/**
 * Holds nothing that was typed but the address: a stranger could have typed it. null: the project has no verified domain to send from.
 */
export async function confirmationMail(deps: FormsDeps, asked: Asked): Promise<Mailing | null> {
  const { project, pending, submission } = asked;
  const token = confirmToken(deps.config, { projectId: project._id, pendingId: pending._id });
  const url = `${deps.config.publicUrl}/f/confirm/${token}`;
  const written = (await fromTemplate(deps, asked, url)) ?? builtIn(asked, url);
  return projectMailing(deps, project, {
    ...{ seed: submission._id, to: submission.email, passesUnsubscribe: true },
    ...written,
  });
}

/** null: the form names none, or one that cannot be used any more. */
async function fromTemplate(deps: FormsDeps, asked: Asked, url: string): Promise<Written | null> {
  const { project, form, submission } = asked;
  const { confirmationTemplateId: templateId } = form;
  if (templateId === null) return null;
  const template = await publishedTemplate(deps, project, templateId).catch((error) => {
    if (error instanceof AppError) return null;
    throw error;
  });
  if (!template) return null;
  const mail = await mailIn(deps, { template }, languageIn(template, asked.pending.language));
  const { previewText, html } = mail;
  try {
    if (!namesConfirmUrl(html)) return null;
    const subject = mail.subject || wordsOf(form, project, languageOf(asked)).mailSubject;
    const compiled = compileMail({ subject, previewText, html, text: null });
    const variables = variablesOf(deps, project, submission.email, url);
    return {
      subject: renderTemplate(compiled.subject, variables),
      html: renderTemplate(compiled.html!, variables),
      text: textOfHtml(compiled.html!, html, variables),
    };
  } catch (error) {
    if (!(error instanceof TemplateRenderError)) throw error;
    deps.log.warn({ form: form._id, template: templateId, err: error }, 'a template cannot confirm; ours is sent');
    return null;
  }
}

function variablesOf({ clock }: FormsDeps, { name, publicName = name }: Project, email: string, url: string) {
  return { [CONFIRM_URL]: url, email, projectName: publicName, date: clock.now().toISOString().slice(0, 10) };
}

function builtIn(asked: Asked, url: string): Written {
  const { project, form } = asked;
  const language = languageOf(asked);
  const { mailSubject: subject, mailText, mailButton } = wordsOf(form, project, language);
  const { tag, mails } = textsIn(language);
  const lines = [mails.confirmValid, mails.ignore];
  const look = lookOf(project);
  const text = [mailText, url, ...lines, ...(look.postalAddress ? [look.postalAddress] : [])].join('\n\n');
  return { subject, html: htmlOf({ tag, look, mailText, mailButton, url, lines }), text: `${text}\n` };
}

function htmlOf(mail: {
  tag: string;
  look: Look;
  mailText: string;
  mailButton: string;
  url: string;
  lines: string[];
}): string {
  const { tag, look, mailText, mailButton, url, lines } = mail;
  const { name, logoUrl, button, onButton, postalAddress } = look;
  const shown = escapeHtml(name ?? '');
  const head = logoUrl
    ? `<img src="${escapeHtml(logoUrl)}" alt="${shown}" style="max-height:56px;max-width:100%">`
    : shown;
  const small = 'color:#586274;font-size:14px';
  return `<!doctype html>
<html lang="${tag}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body style="margin:0;padding:24px 16px;background:#f4f5f7;color:#1c2430;font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif">
<div style="max-width:480px;margin:0 auto;padding:28px;background:#ffffff;border-radius:14px">
<p style="margin:0 0 20px;color:#586274">${head}</p>
<p style="margin:0 0 24px;white-space:pre-line">${escapeHtml(mailText)}</p>
<p style="margin:0 0 24px"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 24px;border-radius:10px;background:${button};color:${onButton};font-weight:600;text-decoration:none">${escapeHtml(mailButton)}</a></p>
${lines.map((line) => `<p style="margin:0 0 12px;${small}">${escapeHtml(line)}</p>`).join('\n')}
${postalAddress ? `<p style="margin:24px 0 0;white-space:pre-line;${small}">${escapeHtml(postalAddress)}</p>\n` : ''}</div>
</body>
</html>
`;
}

function languageOf({ pending }: Asked): Language {
  return languageOfTag(pending.language) ?? DEFAULT_LANGUAGE;
}
