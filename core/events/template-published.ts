import type { Session } from '../base/model.ts';
import type { Template } from '../templates/model.ts';
import { numbersOf } from '../templates/versions.ts';
import type { EventsDeps } from './deps.ts';
import { publishEvent } from './events.ts';

/** In the transaction that publishes the version. */
export function recordPublication(deps: EventsDeps, session: Session, template: Template): Promise<void> {
  const { projectId, templateId, templateName, publishedAt = null, publishedBy = null } = template;
  const { published: version } = numbersOf(template);
  const data = { templateId, templateName, version, publishedAt, publishedBy };
  return publishEvent(deps, session, projectId, 'template.published', data, `${templateId} ${version}`);
}
