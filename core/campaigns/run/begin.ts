import { AppError } from '../../base/errors.ts';
import { requestRun, wakeStarts } from '../../jobs/starts.ts';
import { publishedTemplate } from '../../templates/find.ts';
import { contentsNow } from '../definition/content.ts';
import { listEntries, withEntries } from '../definition/expand.ts';
import { holdLists } from '../definition/holds.ts';
import { readyToPublish } from '../definition/input.ts';
import type { CampaignsDeps } from '../deps.ts';
import type { AudienceEntry, Campaign, CampaignContent, VariantId } from '../model.ts';
import { refreshCounts } from '../numbers/counts.ts';
import { sendingStatus } from '../status.ts';
import { type CommitWith, type Move, transition } from '../transition.ts';
import { compileFrozen } from './compile.ts';

/**
 * Freezes the content, and the names and sizes of the lists, when sending starts; content that cannot be sent at all fails here,
 * with the reason.
 */
export async function begin(deps: CampaignsDeps, campaign: Campaign): Promise<null> {
  const { _id, projectId } = campaign;
  const now = deps.clock.now();
  let moved: Campaign | null;
  try {
    const { lists, content } = await readyNow(deps, campaign);
    const { toLists, excludeLists } = withEntries(campaign, lists);
    const to: Move = { status: sendingStatus(campaign), startedAt: now, toLists, excludeLists };
    const commitWith: CommitWith = async (session) => {
      refuseGone(await holdLists(deps, session, campaign), campaign);
      // With the status: an attempt that was thought dead and begins later must not replace what is being sent.
      await deps.db.campaignContents.replaceOne({ _id, projectId }, content, { upsert: true, session });
      await requestRun(deps, 'metrics', campaign, { session });
    };
    moved = await transition(deps, campaign, to, { wakeRun: false, commitWith });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'unavailable') throw error;
    const failureReason = error.details ? `${error.message} (${error.details})` : error.message;
    moved = await transition(deps, campaign, { status: 'failed', failureReason }, { wakeRun: false });
  }
  if (!moved) return null;
  await refreshCounts(deps, { _id, projectId });
  wakeStarts(deps, 'metrics', projectId);
  return null;
}

interface Ready {
  lists: Map<string, AudienceEntry>;
  content: CampaignContent;
}

async function readyNow(deps: CampaignsDeps, campaign: Campaign): Promise<Ready> {
  const { projectId } = campaign;
  const project = await deps.db.projects.findOne({ _id: projectId, deletedAt: null });
  if (!project) throw new AppError('not_found', 'The project was deleted.');
  await readyToPublish(deps, project, campaign);
  const lists = await listEntries(deps, project, [campaign]);
  const content = await contentsNow(deps, campaign, publishedTemplate);
  for (const id of [null, ...variantIdsOf(campaign)]) await compileFrozen(deps, content, id);
  return { lists, content };
}

function variantIdsOf({ variants }: Campaign): VariantId[] {
  return (variants ?? []).map(({ id }) => id);
}

/** Without an excluded list its members could not be left out. A deleted list of the audience counts as empty. */
function refuseGone(goneIds: Set<string>, { excludeLists }: Campaign): void {
  const gone = excludeLists.find(({ id }) => goneIds.has(id));
  if (gone) throw new AppError('conflict', `The ${gone.type} "${gone.name}", which it excludes, was deleted.`);
}
