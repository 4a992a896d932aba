import type { Deps } from '../base/deps.ts';
import { AppError } from '../base/errors.ts';
import { compiled } from '../templates/cache.ts';
import { findTemplate } from '../templates/find.ts';
import type { Automation, AutomationEmail } from './model.ts';

/** A fault that activation allows, and that the caller should look at. */
export interface AutomationWarning {
  stepId: string;
  code: 'NO_UNSUBSCRIBE_LINK';
  message: string;
}

/** Pages on which a person leaves; "" is all variables. */
const WAYS_OUT = ['', 'unsubscribe', 'preferencesUrl'];

/** Mails of automations are marketing mail: a body without a way out is sent, with the headers alone. */
export async function warningsOf(deps: Deps, automation: Automation): Promise<AutomationWarning[]> {
  const bodies = new Map<string, Promise<string | null>>();
  const bodyOf = (email: AutomationEmail) => {
    const { htmlTemplate, templateId = '' } = email;
    if (htmlTemplate !== undefined) return htmlTemplate;
    const known = bodies.get(templateId) ?? templateBody(deps, automation, templateId);
    bodies.set(templateId, known);
    return known;
  };
  const found: AutomationWarning[] = [];
  for (const step of automation.steps) {
    if (step.type !== 'email') continue;
    const html = await bodyOf(step.email);
    if (html === null || hasWayOut(html)) continue;
    const message = 'The body of this mail has no unsubscribe link: use {{unsubscribe}} or {{preferencesUrl}}.';
    found.push({ stepId: step.stepId, code: 'NO_UNSUBSCRIBE_LINK', message });
  }
  return found;
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

/** null when it was deleted: activation says so. */
async function templateBody(deps: Deps, { projectId: _id }: Automation, templateId: string): Promise<string | null> {
  return findTemplate(deps, { _id }, templateId).then(
    ({ emailTemplate }) => emailTemplate,
    (error) => {
      if (error instanceof AppError) return null;
      throw error;
    },
  );
}
