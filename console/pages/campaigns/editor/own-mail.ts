import type {
  Campaign,
  CreateCampaignBody,
  Template,
  TemplateContent,
  UpdateCampaignBody,
} from '../../../../client/index.ts';
import type { Content } from '../../../../schemas/templates/block-types.ts';
import { wordsOf } from '../../../mail-editor/model/labels.ts';

/** The mail that is written in the campaign: content blocks, or code. `layoutId`: of the layout around it; absent as none. */
export type OwnMail = ({ content: Content } | { html: string }) & { layoutId?: string | null };

interface Draft {
  templateId: string;
  mail: OwnMail | null;
}

export function mailOf({ id, templateId, template }: Campaign): Draft {
  if (!template || template.campaignId !== id) return { templateId, mail: null };
  return { templateId: '', mail: mailIn(template) };
}

/** The content of a template, which the campaign changes alone. */
export function mailIn({
  builderType,
  editorJson,
  emailTemplate,
  layoutId,
}: Pick<Template, 'builderType' | 'editorJson' | 'emailTemplate' | 'layoutId'>): OwnMail {
  const isOfBlocks = builderType === 'editor' && editorJson?.v === 1;
  return { ...(isOfBlocks ? { content: editorJson as unknown as Content } : { html: emailTemplate }), layoutId };
}

export function mailBody({
  templateId,
  mail,
}: Draft): Pick<CreateCampaignBody, 'content' | 'htmlTemplate' | 'layoutId' | 'templateId'> {
  if (!mail) return templateId ? { templateId } : {};
  const { layoutId = null } = mail;
  return 'content' in mail
    ? { content: mail.content as unknown as TemplateContent, layoutId }
    : { htmlTemplate: mail.html, layoutId };
}

/** For a campaign that is stored: it keeps the mail that a call leaves out. */
export function takenOut({ templateId, mail }: Draft): Pick<UpdateCampaignBody, 'templateId'> {
  return mail || templateId ? {} : { templateId: null };
}

/** A sentence; null: there is a mail. */
export function missingMail({ templateId, mail }: Draft): string | null {
  if (!mail) return templateId === '' ? 'Write the mail, or choose a template' : null;
  const isEmpty = 'content' in mail ? mail.content.blocks.length === 0 : mail.html.trim() === '';
  return isEmpty ? 'The mail is empty' : null;
}

export function textOfMail(mail: OwnMail): string {
  return 'content' in mail ? wordsOf(mail.content) : mail.html;
}
