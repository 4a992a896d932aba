import { compileFrozen } from './campaign-compiled.ts';
import { contentNow } from './campaign-content.ts';
import { refreshCounts } from './campaign-counts.ts';
import { readyToPublish } from './campaign-fields.ts';
import { type Move, moveStatus } from './campaign-moves.ts';
import { listEntries, withEntries } from './campaign-relations.ts';
import { CAMPAIGN_METRICS } from './campaigns.ts';
import type { Deps } from './deps.ts';
import { wakeDue } from './due.ts';
import { AppError } from './errors.ts';
import type { AudienceEntry, Campaign } from './model.ts';

/** What is sent, and the names and sizes of its lists, are frozen when sending starts; what cannot be sent at all fails here, with the reason. */
export async function begin(deps: Deps, campaign: Campaign): Promise<null> {
  const { _id, projectId, sendMode } = campaign;
  const now = deps.clock.now();
  let move: Move;
  try {
    const lists = await readyNow(deps, campaign);
    const { toLists, excludeLists } = withEntries(campaign, lists);
    const status = sendMode === 'gradual' ? ('sending_gradual' as const) : ('sending' as const);
    move = { status, startedAt: now, metricsDueAt: now, toLists, excludeLists };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'unavailable') throw error;
    const failureReason = error.details ? `${error.message} (${error.details})` : error.message;
    move = { status: 'failed', failureReason };
  }
  if (!(await moveStatus(deps, campaign, move, { tell: false }))) return null;
  await refreshCounts(deps, { _id, projectId });
  wakeDue(deps, CAMPAIGN_METRICS, projectId);
  return null;
}

async function readyNow(deps: Deps, campaign: Campaign): Promise<Map<string, AudienceEntry>> {
  const { _id, projectId, excludeLists } = campaign;
  const project = await deps.db.projects.findOne({ _id: projectId, deletedAt: null });
  if (!project) throw new AppError('not_found', 'The project was deleted.');
  await readyToPublish(deps, project, campaign);
  const lists = await listEntries(deps, project, [campaign]);
  const gone = excludeLists.find(({ id }) => !lists.has(id));
  // Without the list nobody knows any more who was to be left out.
  if (gone) throw new AppError('conflict', `The ${gone.type} "${gone.name}", which it excludes, was deleted.`);
  const content = await contentNow(deps, campaign);
  await compileFrozen(deps, content);
  await deps.db.campaignContents.replaceOne({ _id, projectId }, content, { upsert: true });
  return lists;
}
