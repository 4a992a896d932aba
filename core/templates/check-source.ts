import { compiled } from './cache.ts';
import type { TemplateContent } from './model.ts';

/** Source that does not parse, or uses a construct that is not allowed, is refused when it is saved and when it is published. */
export function checkSource({ emailTemplate, subject, previewText }: Sources): void {
  if (emailTemplate !== undefined) compiled(emailTemplate, 'html', 'emailTemplate');
  if (subject !== undefined) compiled(subject, 'subject', 'subject');
  if (previewText !== undefined) compiled(previewText, 'subject', 'previewText');
}

type Sources = { [Name in 'emailTemplate' | 'subject' | 'previewText']?: TemplateContent[Name] | undefined };
