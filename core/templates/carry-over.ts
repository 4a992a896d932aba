import type { Project } from '../base/model.ts';
import { changeTemplate } from './changes.ts';
import type { TemplatesDeps } from './deps.ts';
import { firstVersion } from './versions.ts';

/** Templates that were stored before there were versions: what is stored becomes version 1, published. Returns how many there were. */
export async function carryOverTemplates(deps: TemplatesDeps, project: Pick<Project, '_id'>): Promise<number> {
  const old = { projectId: project._id, newestVersion: { $exists: false } };
  let carried = 0;
  for await (const { templateId } of deps.db.templates.find(old, { projection: { templateId: 1 } })) {
    await changeTemplate(deps, project, templateId, async (session, template) => {
      if (template.newestVersion !== undefined) return {};
      await deps.db.templateVersions.insertOne(firstVersion(template), { session });
      return { newestVersion: 1, publishedVersion: 1, draftVersion: null, publishedAt: template.updatedAt };
    });
    carried += 1;
  }
  return carried;
}
