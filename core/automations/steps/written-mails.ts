import { TEMPLATE_LENGTH_MAX } from '../../../schemas/templates/templates.ts';
import { AppError, invalid } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { type WrittenMail, writtenMail } from '../../templates/written.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { AutomationEmail, AutomationStep } from '../model/definition.ts';
import type { StepInput } from '../rules/parse-definition.ts';

/** Characters that the content blocks of one automation may make: it is one document, and so is each of its versions. */
const MADE_LENGTH_MAX = 2 * TEMPLATE_LENGTH_MAX;

type Tenant = Pick<Project, '_id'>;
type EmailInput = NonNullable<StepInput['email']> & { editorJson?: unknown };

/**
 * The steps with the mails that the call writes as content blocks. HTML that comes back as it is stored, or with the blocks that make it,
 * as answers have both, keeps its blocks; other HTML is code.
 */
export async function withWrittenMails(
  deps: AutomationsDeps,
  project: Tenant,
  steps: readonly AutomationStep[],
  given: readonly StepInput[],
  before: readonly AutomationStep[] = [],
): Promise<AutomationStep[]> {
  const written: AutomationStep[] = [];
  let length = 0;
  for (const [index, step] of steps.entries()) {
    const email =
      step.type === 'email'
        ? await emailOf(deps, project, { step, given: given[index]?.email ?? {}, before, index })
        : null;
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

interface Place {
  step: AutomationStep & { type: 'email' };
  given: EmailInput;
  before: readonly AutomationStep[];
  index: number;
}

async function emailOf(deps: AutomationsDeps, project: Tenant, place: Place): Promise<AutomationEmail> {
  const { step, given, before, index } = place;
  const { stepId, email } = step;
  const path = `steps/${index}/email/`;
  const { content, htmlTemplate } = given;
  if (content === undefined) {
    const known = blocksBehind(email, storedMail(before, stepId));
    return { ...email, ...(known ?? (await blocksGiven(deps, project, email, given))) };
  }
  if (given.templateId) throw besideTemplate(path);
  const mail = await writtenMail(deps, project, { content, htmlTemplate }, path);
  if (mail?.parts?.length) throw withSnippets(path);
  return { ...email, ...stored(mail) };
}

function storedMail(before: readonly AutomationStep[], stepId: string): AutomationEmail {
  const step = before.find((one) => one.stepId === stepId);
  return step?.type === 'email' ? step.email : {};
}

/** Of HTML that comes back as it is stored. null: it is other HTML. */
function blocksBehind(
  { htmlTemplate }: AutomationEmail,
  { editorJson, text, ...before }: AutomationEmail,
): Partial<AutomationEmail> | null {
  const isSame = editorJson && htmlTemplate !== undefined && htmlTemplate === before.htmlTemplate;
  return isSame ? { editorJson, ...(text ? { text } : {}) } : null;
}

/** Of HTML that comes with the blocks that make it. */
async function blocksGiven(
  deps: AutomationsDeps,
  project: Tenant,
  { htmlTemplate }: AutomationEmail,
  { editorJson }: EmailInput,
): Promise<Partial<AutomationEmail>> {
  if (htmlTemplate === undefined || !editorJson) return {};
  try {
    const made = stored(await writtenMail(deps, project, { content: editorJson }));
    return made.htmlTemplate === htmlTemplate ? made : {};
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

/** A step has no versions that would be published again when a snippet is. */
function withSnippets(path: string) {
  const fault = `${path}content: has a snippet; save it as a template, and name that`;
  return invalid(`The automation is not valid: ${fault}`, fault);
}

function besideTemplate(path: string) {
  const fault = `${path}templateId: must be left out beside content`;
  return invalid(`The automation is not valid: ${fault}`, fault);
}
