import { breathe } from '../base/breathe.ts';
import type { Deps } from '../base/deps.ts';
import { unprocessable } from '../base/errors.ts';
import type { Project } from '../base/model.ts';
import { decorateHtml, htmlToText } from '../templates/html/links.ts';
import { utmRewrite } from '../templates/html/utm.ts';
import { renderTemplate, TemplateRenderError } from '../templates/language/templates.ts';
import { checkData, compileMail } from '../templates/mail.ts';
import { findTemplate } from '../templates/templates.ts';
import { variablesOf } from './variables.ts';

interface Preview {
  subject: string;
  previewText: string;
  html: string;
  text: string;
}

/** Renders like a mail, without links of a recipient. */
export async function previewTemplate(
  deps: Deps,
  project: Project,
  templateId: string,
  dynamicData: Record<string, unknown>,
): Promise<Preview> {
  checkData(dynamicData, 'dynamicData');
  const { subject, previewText, emailTemplate, utm } = await findTemplate(deps, project, templateId);
  const templates = compileMail({ subject, previewText, html: emailTemplate, text: null });
  const unsubscribeUrl = `${deps.config.publicUrl}/u/preview`;
  const builtIn = { email: 'preview@example.com', at: deps.clock.now(), unsubscribeUrl, contact: null };
  const variables = variablesOf(builtIn, dynamicData);
  try {
    await breathe(emailTemplate);
    const html = renderTemplate(templates.html!, variables);
    await breathe(html);
    const preview = renderTemplate(templates.previewText, variables);
    const text = htmlToText(html);
    await breathe(html);
    return {
      subject: renderTemplate(templates.subject, variables),
      previewText: preview,
      html: decorateHtml(html, {
        previewText: preview,
        rewriteLink: utm ? utmRewrite(utm, deps.config.publicUrl) : undefined,
      }),
      text,
    };
  } catch (error) {
    if (!(error instanceof TemplateRenderError)) throw error;
    throw unprocessable('TEMPLATE_RENDER_FAILED', `The template fails with these data: ${error.message}`);
  }
}
