import { invalid } from '../base/errors.ts';
import { compiled } from './cache.ts';
import {
  literalTemplate,
  renderTemplate,
  type Template,
  type Variables,
  variablesProblem,
} from './language/templates.ts';

/** The sources of a mail. */
export interface MailSource {
  subject: string;
  previewText: string;
  html: string | null;
  text: string | null;
  /** The texts are not templates: braces are ordinary text. */
  verbatim?: true;
}

/** A mail's sources, compiled. */
export interface MailTemplates {
  subject: Template;
  previewText: Template;
  html: Template | null;
  text: Template | null;
}

export function compileMail(
  { subject, previewText, html, text, verbatim }: MailSource,
  compile = compiled,
): MailTemplates {
  const read = verbatim ? literalTemplate : compile;
  return {
    subject: read(subject, 'subject', 'subject'),
    previewText: read(previewText, 'subject', 'previewText'),
    html: html === null ? null : read(html, 'html', 'html'),
    text: text === null ? null : read(text, 'text', 'text'),
  };
}

/** Throws TemplateRenderError when a mail cannot be rendered with these data; returns its subject. */
export function checkRendering({ subject, previewText, html, text }: MailTemplates, variables: Variables): string {
  renderTemplate(previewText, variables);
  if (html) renderTemplate(html, variables);
  if (text) renderTemplate(text, variables);
  return renderTemplate(subject, variables);
}

export function checkData(data: unknown, field: string): void {
  const problem = data === undefined ? null : variablesProblem(data);
  if (problem) throw invalid(`${field} ${problem}.`, `${field}: ${problem}`);
}
