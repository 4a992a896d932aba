import type { Template } from '../../../client/index.ts';
import { api } from '../../api.ts';
import { Badge } from '../../parts/data/state.tsx';
import { NextSteps } from '../../parts/page/next-steps.tsx';
import { place, to } from '../../router.ts';
import { can } from '../../session.ts';

/** Of the page of a template, in code and in blocks. */

export const CRUMB = { label: 'Templates', path: '/templates' } as const;
export const WHY_READ_ONLY = 'Your role reads templates.';

/** The draft; a draft that is older than what is published waits among the versions to be restored. */
export async function toEdit(id: string, signal?: AbortSignal): Promise<Template> {
  const draft = await api.templates.get(id, { version: 'draft' }, signal && { signal });
  return draft.isDraftOutdated ? api.templates.get(id, {}, signal && { signal }) : draft;
}

/** Whether there is something to publish. */
export function hasDraft(template: Template): template is Template & { draftVersion: number } {
  return template.draftVersion !== null && !template.isDraftOutdated;
}

export function HeadState({ template }: { template: Template }) {
  const { templateType, publishedVersion } = template;
  return (
    <>
      <Badge>{templateType === 'marketing' ? 'Campaigns' : 'Single mail'}</Badge>
      {publishedVersion === null ? (
        <Badge tone="warn">Never published</Badge>
      ) : hasDraft(template) ? (
        <Badge tone="info">Draft, not published</Badge>
      ) : (
        <Badge tone="good">Published</Badge>
      )}
    </>
  );
}

/** The limits of an author, and the next step. */
export function HeadNotes({ template }: { template: Template }) {
  const { templateId, templateType, publishedVersion } = template;
  return (
    <>
      <BackToStep />
      <p>
        <a class="link" href={to(`/templates/${templateId}/languages`)}>
          Languages
        </a>
      </p>
      {can('templates.update') && !can('templates.publish') && (
        <p class="sub">You save drafts. Mail changes when an editor or an owner publishes them.</p>
      )}
      {templateType === 'marketing' && (
        <NextSteps
          steps={[
            {
              label: 'New campaign with this template',
              href: to('/campaigns/new', { template: templateId }),
              operation: 'campaigns.create',
              why: publishedVersion === null && 'Publish the template first.',
            },
          ]}
        />
      )}
    </>
  );
}

/** For those who came from the step of an automation. */
function BackToStep() {
  const { query } = place.value;
  const automationId = query.get('automation') ?? '';
  if (!/^[0-9a-f]{24}$/.test(automationId)) return null;
  return (
    <p>
      <a class="link" href={to(`/automations/${automationId}/edit`, { step: query.get('step') })}>
        Back to the automation
      </a>
    </p>
  );
}
