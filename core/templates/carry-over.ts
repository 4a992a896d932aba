import { inTransaction } from '../base/database/transactions.ts';
import type { Project } from '../base/model.ts';
import type { TemplatesDeps } from './deps.ts';
import { firstVersion } from './versions.ts';

/** Templates that were stored before there were versions: what is stored becomes version 1, published. Returns how many there were. */
export async function carryOverTemplates(deps: TemplatesDeps, project: Pick<Project, '_id'>): Promise<number> {
  const old = { projectId: project._id, newestVersion: { $exists: false } };
  let carried = 0;
  for await (const { _id } of deps.db.templates.find(old, { projection: { _id: 1 } })) {
    await inTransaction(deps, async (session) => {
      const numbers = { newestVersion: 1, publishedVersion: 1, draftVersion: null };
      const published = { publishedAt: '$updatedAt', publishedBy: null };
      const template = await deps.db.templates.findOneAndUpdate(
        { _id, ...old },
        [{ $set: { ...numbers, ...published } }],
        { session, returnDocument: 'after' },
      );
      if (template) await deps.db.templateVersions.insertOne(firstVersion(template), { session });
    });
    carried += 1;
  }
  return carried;
}
