import type { AutomationEmail, TemplateContent } from '../../../../../../client/index.ts';
import type { Content } from '../../../../../../schemas/templates/block-types.ts';
import { tagsIn, textOfTags } from '../../../../../parts/forms/tags.ts';
import { starterContent } from '../../../../templates/starter.ts';
import { contentIn } from '../../draft.ts';
import type { Step } from '../../model/steps.ts';

/** The mail of a step as texts of its form, and back. */

export const CONTENT = 'email/content';

export type Values = ReturnType<typeof read>;

type Read = Record<typeof CONTENT, Content | null>;

export function read({ email = {} }: Step) {
  const { subject = '', previewText = '', templateId = '', htmlTemplate, whenCapped, inlinePictures = false } = email;
  const { senderEmail = '', senderName = '', senderReplyToEmail = '', senderReplyToName = '', tags = [] } = email;
  const isTemplate = htmlTemplate === undefined && templateId !== '' && !email.content;
  return {
    content: isTemplate ? 'template' : 'written',
    ...({ [CONTENT]: contentIn(email) ?? (htmlTemplate === undefined ? starterContent('marketing') : null) } as Read),
    'email/subject': subject,
    'email/previewText': previewText,
    'email/senderEmail': senderEmail,
    'email/senderName': senderName,
    'email/senderReplyToEmail': senderReplyToEmail,
    'email/senderReplyToName': senderReplyToName,
    'email/tags': textOfTags(tags),
    waits: whenCapped === 'wait',
    'email/inlinePictures': inlinePictures,
    'email/templateId': templateId,
    'email/htmlTemplate': htmlTemplate ?? '',
  };
}

export function write(step: Step, values: Values): Step {
  // Until a template is chosen, the mail stays as it is.
  const isTemplate = values.content === 'template' && values['email/templateId'] !== '';
  const tags = tagsIn(values['email/tags']);
  return withEmail(step, {
    subject: values['email/subject'] || undefined,
    previewText: values['email/previewText'] || undefined,
    senderEmail: values['email/senderEmail'] || undefined,
    senderName: values['email/senderName'] || undefined,
    senderReplyToEmail: values['email/senderReplyToEmail'] || undefined,
    senderReplyToName: values['email/senderReplyToName'] || undefined,
    tags: tags.length > 0 ? tags : undefined,
    templateId: isTemplate ? values['email/templateId'] : undefined,
    whenCapped: values.waits ? 'wait' : undefined,
    inlinePictures: values['email/inlinePictures'] || undefined,
    templateName: undefined,
    ...(isTemplate ? NOT_WRITTEN : mailOf(step, values)),
  });
}

const NOT_WRITTEN = { content: undefined, editorJson: undefined, htmlTemplate: undefined };

/** Blocks without a change stay as the interface answers them, with the HTML that it made of them. */
function mailOf({ email }: Step, { [CONTENT]: content, 'email/htmlTemplate': htmlTemplate }: Values) {
  if (!content) return { ...NOT_WRITTEN, htmlTemplate };
  if (content === contentIn(email)) return {};
  return { ...NOT_WRITTEN, content: content as TemplateContent };
}

/** undefined takes a field away. */
function withEmail(step: Step, changes: { [K in keyof AutomationEmail]: AutomationEmail[K] | undefined }): Step {
  const entries = Object.entries({ ...step.email, ...changes }).filter(([, value]) => value !== undefined);
  return { ...step, email: Object.fromEntries(entries) };
}
