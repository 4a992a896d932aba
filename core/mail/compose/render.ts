import type { Config } from '../../../schemas/config.ts';
import type { Utm } from '../../base/model.ts';
import { breathe } from '../../base/work/breathe.ts';
import { type Decoration, decorateHtml } from '../../templates/html/links.ts';
import { utmRewrite, withUtmInText } from '../../templates/html/utm.ts';
import { type LinkNumbers, renderTemplate, type Variables } from '../../templates/language/templates.ts';
import type { MailSource, MailTemplates } from '../../templates/mail.ts';
import type { MailPages } from './links.ts';
import { type LinkRewrite, textOfHtml } from './plain-text.ts';

interface Renderable {
  source: MailSource;
  templates: MailTemplates;
  untracked: LinkRewrite | undefined;
}

/** Of one recipient. */
interface Links {
  pages: MailPages;
  /** Left out: the links of the HTML are not tracked. */
  trackedLink?: Decoration['rewriteLink'] | undefined;
  pixelUrl?: string | undefined;
}

export interface RenderedMail {
  subject: string;
  previewText: string;
  html: string | null;
  text: string | null;
}

/** The links of a mail that are not tracked: with the UTM parameters of the mail. undefined: as they are written. */
export function untrackedLinks({ publicUrl }: Pick<Config, 'publicUrl'>, utm: Utm | null): LinkRewrite | undefined {
  return utm ? { key: JSON.stringify(utm), link: utmRewrite(utm, publicUrl) } : undefined;
}

/**
 * The texts of one recipient: for the mail, and for its preview. With pauses between the steps over a long mail. Throws
 * TemplateRenderError.
 */
export async function renderMail(
  { source, templates, untracked }: Renderable,
  variables: Variables,
  { pages, trackedLink, pixelUrl }: Links,
): Promise<RenderedMail> {
  const numbers: LinkNumbers = new Map();
  const html = templates.html && renderTemplate(templates.html, variables, numbers);
  await breathe(html);
  const text = templates.text
    ? withUtmInText(renderTemplate(templates.text, variables), untracked?.link)
    : templates.html && textOfHtml(templates.html, source.html ?? '', variables, untracked);
  await breathe(html);
  const previewText = renderTemplate(templates.previewText, variables);
  const decoration = { previewText: previewText || undefined, pixelUrl, numbers, ownLinks: Object.values(pages) };
  const decorated = html && decorateHtml(html, { ...decoration, rewriteLink: trackedLink ?? untracked?.link });
  await breathe(decorated);
  return { subject: renderTemplate(templates.subject, variables), previewText, html: decorated, text };
}
