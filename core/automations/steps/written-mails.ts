import { TEMPLATE_LENGTH_MAX } from '../../../schemas/templates/templates.ts';
import { AppError, invalid } from '../../base/errors.ts';
import { type WrittenMail, writtenMail } from '../../templates/written.ts';
import type { AutomationEmail, AutomationStep } from '../model.ts';
import type { StepInput } from '../rules/parse-definition.ts';

/** Characters that the content blocks of one automation may make: it is one document, and so is each of its versions. */
const MADE_LENGTH_MAX = 2 * TEMPLATE_LENGTH_MAX;

type EmailInput = NonNullable<StepInput['email']> & { editorJson?: unknown };

/**
 * The steps with the mails that the call writes as content blocks. HTML that comes back as it is stored, or with the blocks that make it,
 * as answers have both, keeps its blocks; other HTML is code.
 */
export async function withWrittenMails(
  steps: readonly AutomationStep[],
  given: readonly StepInput[],
  before: readonly AutomationStep[] = [],
): Promise<AutomationStep[]> {
  const written: AutomationStep[] = [];
  let length = 0;
  for (const [index, step] of steps.entries()) {
    const email = step.type === 'email' ? await emailOf(step, given[index]?.email ?? {}, { before, index }) : null;
    length += email?.editorJson ? (email.htmlTemplate ?? '').length + (email.text ?? '').length : 0;
    if (length > MADE_LENGTH_MAX)
      throw invalid(
        'The steps hold too much content.',
        `steps/${index}/email/content: makes more than 2 MiB with the others`,
      );
    written.push(email ? ({ ...step, email } as AutomationStep) : step);
  }
  return written;
}

async function emailOf(
  { stepId, email }: AutomationStep & { type: 'email' },
  given: EmailInput,
  { before, index }: { before: readonly AutomationStep[]; index: number },
): Promise<AutomationEmail> {
  const path = `steps/${index}/email/`;
  const { content, htmlTemplate } = given;
  if (content === undefined) return { ...email, ...(await blocksBehind(email, given, storedMail(before, stepId))) };
  if (given.templateId) throw besideTemplate(path);
  return { ...email, ...stored(await writtenMail({ content, htmlTemplate }, path)) };
}

function storedMail(before: readonly AutomationStep[], stepId: string): AutomationEmail {
  const step = before.find((one) => one.stepId === stepId);
  return step?.type === 'email' ? step.email : {};
}

/** Of HTML that comes back. */
async function blocksBehind(
  { htmlTemplate }: AutomationEmail,
  { editorJson }: EmailInput,
  { editorJson: blocks, text, ...before }: AutomationEmail,
): Promise<Partial<AutomationEmail>> {
  if (htmlTemplate === undefined) return {};
  if (blocks && htmlTemplate === before.htmlTemplate) return { editorJson: blocks, ...(text ? { text } : {}) };
  const made = editorJson ? await madeOf(editorJson) : {};
  return made.htmlTemplate === htmlTemplate ? made : {};
}

async function madeOf(content: unknown): Promise<Partial<AutomationEmail>> {
  try {
    return stored(await writtenMail({ content }));
  } catch (error) {
    if (error instanceof AppError) return {};
    throw error;
  }
}

function stored(mail: WrittenMail | null): Partial<AutomationEmail> {
  if (!mail?.editorJson) return {};
  const { emailTemplate, text, editorJson } = mail;
  return { htmlTemplate: emailTemplate, editorJson, ...(text ? { text } : {}) };
}

function besideTemplate(path: string) {
  const fault = `${path}templateId: must be left out beside content`;
  return invalid(`The automation is not valid: ${fault}`, fault);
}
