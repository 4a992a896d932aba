import type { Template } from '../../../client/index.ts';
import { Badge } from '../../parts/data/state.tsx';
import { NextSteps } from '../../parts/page/next-steps.tsx';
import { place, to } from '../../router.ts';
import { can } from '../../session.ts';
import { type Calls, callsOf } from './calls.ts';
import { DraftBadge } from './drafts.tsx';

/** Of the page of a template, in code and in blocks. */

export const CRUMB = { label: 'Templates', path: '/templates' } as const;

export function callsOfTemplate(id: string): Calls<Template> {
  return callsOf('templates', id, `/templates/${id}`);
}

export function nameOf({ templateName }: Template): string {
  return templateName;
}

export function HeadState({ template }: { template: Template }) {
  return (
    <>
      <Badge>{template.templateType === 'marketing' ? 'Campaigns' : 'Single mail'}</Badge>
      <DraftBadge of={template} />
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
