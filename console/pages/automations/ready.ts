import type { Automation } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { PLACEHOLDER } from '../../mail-editor/model/fresh.ts';
import { isUntouched } from '../templates/starter.ts';

/** Why a mail must not go out yet. */
export interface Unready {
  stepId: string;
  templateId: string | null;
  text: string;
}

/** The mails that keep an automation from being activated here. A key is warned instead, and only of unsubscribe links. */
export async function unreadyMails({ steps, warnings = [] }: Automation, signal?: AbortSignal): Promise<Unready[]> {
  const found = await Promise.all(
    steps.map(async ({ stepId, type, email }): Promise<Unready | null> => {
      if (type !== 'email' || !email) return null;
      const { templateId = null, htmlTemplate, content } = email;
      const blocks = content ? JSON.stringify(content) : '';
      const written = blocks || (htmlTemplate ?? (templateId ? await bodyOf(templateId, signal) : ''));
      if (isUntouched(written)) return { stepId, templateId, text: 'Nobody has written this mail yet.' };
      if (blocks.includes(PLACEHOLDER))
        return { stepId, templateId, text: 'A link of this mail leads to example.com. Give it its address.' };
      const warning = warnings.find((one) => one.stepId === stepId);
      return warning ? { stepId, templateId, text: warning.message } : null;
    }),
  );
  return found.filter((one) => one !== null);
}

/** Activation itself refuses a template that is gone. */
async function bodyOf(templateId: string, signal?: AbortSignal): Promise<string> {
  const { data } = await api.safe.templates.get(templateId, {}, signal && { signal });
  return data?.emailTemplate ?? '';
}
