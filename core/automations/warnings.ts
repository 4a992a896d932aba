import { AppError } from '../base/errors.ts';
import { compiled } from '../templates/cache.ts';
import type { AutomationsDeps } from './deps.ts';
import type { Automation } from './model.ts';
import { templatesOf, withStoredIds } from './references.ts';

/** A fault that activation allows, and that the caller should look at. */
export interface AutomationWarning {
  stepId: string;
  code: 'NO_UNSUBSCRIBE_LINK';
  message: string;
}

/** Pages on which a person leaves; "" is all variables. */
const WAYS_OUT = ['', 'unsubscribe', 'preferencesUrl'];

/** Mails of automations are marketing mail: a body without a way out is sent, with the headers alone. */
export async function warningsOf(deps: AutomationsDeps, automation: Automation): Promise<AutomationWarning[]> {
  const { projectId } = automation;
  const { steps } = await withStoredIds(deps, { _id: projectId }, automation);
  const named = { projectId, templateId: { $in: steps.flatMap(templatesOf) } };
  const projection = { templateId: 1, emailTemplate: 1 };
  const templates = await deps.db.templates.find(named, { projection, hint: 'template_id' }).toArray();
  const bodies = new Map(templates.map(({ templateId, emailTemplate }) => [templateId, emailTemplate]));
  return steps.flatMap((step): AutomationWarning[] => {
    if (step.type !== 'email') return [];
    const { htmlTemplate, templateId = '' } = step.email;
    // Activation refuses a template that is gone.
    const html = htmlTemplate ?? bodies.get(templateId);
    if (html === undefined || hasWayOut(html)) return [];
    const message = 'The body of this mail has no unsubscribe link: use {{unsubscribe}} or {{preferencesUrl}}.';
    return [{ stepId: step.stepId, code: 'NO_UNSUBSCRIBE_LINK', message }];
  });
}

/** A migrated source that does not parse is not sent, so there is nothing to warn of. */
function hasWayOut(html: string): boolean {
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
