import { AppError } from '../base/errors.ts';
import { compiled } from './cache.ts';
import type { TemplateContent } from './model.ts';

/** Source that does not parse, or uses a construct that is not allowed, is refused when it is saved and when it is published. */
export function checkSource({ emailTemplate, subject, previewText }: Sources): void {
  if (emailTemplate !== undefined) compiled(emailTemplate, 'html', 'emailTemplate');
  if (subject !== undefined) compiled(subject, 'subject', 'subject');
  if (previewText !== undefined) compiled(previewText, 'subject', 'previewText');
}

type Sources = { [Name in 'emailTemplate' | 'subject' | 'previewText']?: TemplateContent[Name] | undefined };

/** Pages on which a person leaves; "" is all variables. */
const WAYS_OUT = ['', 'unsubscribe', 'preferencesUrl'];

/** A migrated source that does not parse is not sent, so nothing is missing in it. */
export function hasWayOut(html: string): boolean {
  try {
    return compiled(html, 'html', 'htmlTemplate').paths.some(isWayOut);
  } catch (error) {
    if (error instanceof AppError) return true;
    throw error;
  }
}

function isWayOut(path: string): boolean {
  return WAYS_OUT.includes(path.split('.', 1)[0] as string);
}
