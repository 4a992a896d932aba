import type { Project } from '../base/model.ts';
import type { AutomationsDeps } from './deps.ts';
import type { AutomationStep } from './model/definition.ts';
import { withStoredIds } from './references.ts';

const INTERNAL_ID = /^[0-9a-f]{24}$/i;

/**
 * Definitions of earlier releases may name a template by its internal id; people may still be on some of them. Returns how many there
 * were. A definition that another call replaces at the same time is stored with the ids that callers know.
 */
export async function carryOverAutomations({ db }: AutomationsDeps, project: Pick<Project, '_id'>): Promise<number> {
  const projectId = project._id;
  const old = { projectId, 'steps.email.templateId': INTERNAL_ID };
  let carried = 0;
  for await (const { _id, version, steps } of db.automations.find(old)) {
    await db.automations.updateOne({ _id, projectId, version }, { $set: { steps: await withIds(steps) } });
    carried += 1;
  }
  for await (const { _id, steps } of db.automationDefinitions.find(old)) {
    await db.automationDefinitions.updateOne({ _id, projectId }, { $set: { steps: await withIds(steps) } });
    carried += 1;
  }
  return carried;

  async function withIds(steps: AutomationStep[]): Promise<AutomationStep[]> {
    return (await withStoredIds({ db }, project, { steps })).steps;
  }
}
