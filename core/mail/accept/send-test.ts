import type { Described } from '../../../schemas/schema.ts';
import type { testTemplateBody } from '../../../schemas/templates/templates.ts';
import { invalid } from '../../base/errors.ts';
import type { Mailbox, Project } from '../../base/model.ts';
import { getSender } from '../../domains/senders.ts';
import { checkData } from '../../templates/mail.ts';
import { readTemplate } from '../../templates/publish.ts';
import { mailFor } from '../../templates/translations/mail.ts';
import type { MailDeps } from '../deps.ts';
import { contactNamed } from '../previews/contacts.ts';
import { type QueuedTest, sendTestMail } from '../previews/test-mails.ts';
import { type MailOrigin, mailbox } from './inputs.ts';

type TestInput = Described<typeof testTemplateBody>;

/** Sends a saved template, or one of its versions, to a few people for review. */
export async function testTemplate(
  deps: MailDeps,
  project: Project,
  templateId: string,
  { emails, contactId, dynamicData, version, language, ...input }: TestInput,
  origin: MailOrigin,
): Promise<QueuedTest> {
  checkData(dynamicData, 'dynamicData');
  const at = await readTemplate(deps, project, templateId, version);
  const { template } = at;
  const contact = await contactNamed(deps, project, { contactId });
  const { utm, templateType } = template;
  const shown = {
    ...(await senderOf(deps, project, input)),
    ...(await mailFor(deps, project, at, { language, contact })),
    ...(utm ? { utm } : {}),
  };
  const data = { ...dynamicData };
  const isCampaign = templateType === 'marketing';
  const mail = { ...shown, templateId: template.templateId, groupId: null, emails, contact, data, isCampaign };
  return sendTestMail(deps, project, mail, origin);
}

async function senderOf(
  deps: MailDeps,
  project: Project,
  { from, senderId }: Pick<TestInput, 'from' | 'senderId'>,
): Promise<{ from: Mailbox; replyTo: Mailbox | null }> {
  if (from) return { from: mailbox(from), replyTo: null };
  if (senderId === undefined) throw invalid('Say who it comes from.', 'from: is required, or senderId');
  const { email, name, replyTo } = await getSender(deps, project, senderId, 'senderId');
  return { from: { email, name: name || null }, replyTo: replyTo ? { email: replyTo, name: null } : null };
}
