import { hasWayOut } from '../templates/check-source.ts';
import type { AutomationsDeps } from './deps.ts';
import type { Automation } from './model/automation.ts';
import { templatesOf, withStoredIds } from './references.ts';

/** A fault that activation allows, and that the caller should look at. */
export interface AutomationWarning {
  stepId: string;
  code: 'NO_UNSUBSCRIBE_LINK';
  message: string;
}

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
