import type { Session } from '../base/model.ts';
import { partNamed } from '../templates/assemble/keys.ts';
import type { Template } from '../templates/model.ts';
import { numbersOf } from '../templates/versions.ts';
import type { EventsDeps } from './deps.ts';
import { publishEvent } from './events.ts';

/** In the transaction that publishes the version. */
export function recordPublication(deps: EventsDeps, session: Session, template: Template): Promise<void> {
  const { projectId, templateId, templateName, publishedAt = null, publishedBy = null } = template;
  const { published: version } = numbersOf(template);
  const published = { version, publishedAt, publishedBy };
  const part = partNamed(templateId);
  if (part) {
    const data = { id: part.id, name: templateName, ...published };
    return publishEvent(deps, session, projectId, `${part.kind}.published`, data, `${templateId} ${version}`);
  }
  const data = { templateId, templateName, ...published };
  return publishEvent(deps, session, projectId, 'template.published', data, `${templateId} ${version}`);
}
