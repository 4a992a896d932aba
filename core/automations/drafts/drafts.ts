import { inTransaction } from '../../base/database/transactions.ts';
import { conflict, invalid } from '../../base/errors.ts';
import type { Origin } from '../../base/maker.ts';
import type { Project } from '../../base/model.ts';
import { type AutomationInput, changedContent, checkContent, refuseUnseenDraft } from '../automations.ts';
import { contentOf, draftId, getAutomation, unchangedSince } from '../definitions.ts';
import type { AutomationsDeps } from '../deps.ts';
import type { Automation, AutomationContent, DraftDefinition, DraftMark } from '../model/automation.ts';
import { requireNamed } from '../references.ts';
import { keepStepHeaders } from '../webhooks/headers.ts';

type Tenant = Pick<Project, '_id'>;

/** An automation with the content of its draft, or of the version that runs. */
export interface AutomationAt {
  automation: Automation;
  content: AutomationContent;
}

/** `draft` is the version that runs where there is no draft, so that an editor begins from it. */
export async function readAutomation(
  deps: AutomationsDeps,
  project: Tenant,
  id: string,
  version?: 'draft',
): Promise<AutomationAt> {
  const automation = await getAutomation(deps, project, id);
  if (version === undefined || !automation.draft) return { automation, content: contentOf(automation) };
  const content = await storedDraft(deps, automation);
  // Another call published or discarded it in between; by draftRevision this state is an earlier one.
  return content
    ? { automation, content }
    : { automation: { ...automation, draft: null }, content: contentOf(automation) };
}

/** Changes nothing for anybody. Fields that are left out keep those of the draft, or of the version that runs where there is none. */
export async function saveDraft(
  deps: AutomationsDeps,
  project: Project,
  id: string,
  { existing, draftRevision, ...input }: AutomationInput,
  origin: Origin,
): Promise<AutomationAt> {
  if (existing !== undefined)
    throw invalid(
      'Nobody moves to a draft: give existing when it is published.',
      'existing: does not go with draft: true',
    );
  const at = await readAutomation(deps, project, id, 'draft');
  refuseArchived(at.automation);
  refuseUnseenDraft(at.automation, draftRevision);
  const changed = await changedContent(deps, project, at.content, input, origin);
  const content = await checkContent(deps, project, changed, { areStepsNew: input.steps !== undefined });
  await requireNamed(deps, project, content);
  await keepStepHeaders(deps, project, content.steps, {
    automationId: at.automation._id,
    given: input.steps,
    before: at.content.steps,
  });
  const saved = await storeDraft(deps, at.automation, content, markOf(deps, at.automation, draftRevision, origin));
  return saved ? { automation: saved, content } : saveDraft(deps, project, id, { draftRevision, ...input }, origin);
}

/** A caller who names the revision has seen the version that runs, so the draft counts as made from it. */
function markOf(
  { clock }: AutomationsDeps,
  { draft, version }: Automation,
  seen: number | undefined,
  { by }: Origin,
): DraftMark {
  const baseVersion = draft && seen === undefined ? draft.baseVersion : version;
  return { baseVersion, updatedAt: clock.now(), updatedBy: by?.memberId ?? null };
}

/** null: another call changed the automation first. */
async function storeDraft(
  deps: AutomationsDeps,
  before: Automation,
  content: AutomationContent,
  draft: DraftMark,
): Promise<Automation | null> {
  const { _id, projectId } = before;
  const stored: DraftDefinition = {
    _id: draftId(_id),
    projectId,
    automationId: _id,
    isDraft: true,
    ...contentOf(content),
  };
  return inTransaction(deps, async (session) => {
    const after = await deps.db.automations.findOneAndUpdate(
      { _id, projectId, ...unchangedSince(before) },
      { $set: { draft }, $inc: { draftRevision: 1 } },
      { session, returnDocument: 'after' },
    );
    if (after)
      await deps.db.automationDefinitions.replaceOne({ _id: stored._id, projectId }, stored, { session, upsert: true });
    return after;
  });
}

export async function discardDraft(
  deps: AutomationsDeps,
  project: Tenant,
  id: string,
  draftRevision: number | undefined,
): Promise<void> {
  const before = await getAutomation(deps, project, id);
  requireDraft(before);
  refuseUnseenDraft(before, draftRevision);
  const { _id, projectId } = before;
  const discarded = await inTransaction(deps, async (session) => {
    const { matchedCount } = await deps.db.automations.updateOne(
      { _id, projectId, ...unchangedSince(before) },
      { $set: { draft: null }, $inc: { draftRevision: 1 } },
      { session },
    );
    if (matchedCount === 0) return false;
    await deps.db.automationDefinitions.deleteOne({ _id: draftId(_id), projectId }, { session });
    return true;
  });
  if (!discarded) await discardDraft(deps, project, id, draftRevision);
}

export function requireDraft({ draft }: Automation): DraftMark {
  if (draft) return draft;
  throw conflict(
    'INVALID_STATE',
    'The automation has no draft: what runs is all there is. Save one first: PATCH /automations/{automationId} with draft: true.',
  );
}

/** null: it was published or discarded since the automation was read. */
async function storedDraft(
  { db }: Pick<AutomationsDeps, 'db'>,
  { _id, projectId }: Automation,
): Promise<AutomationContent | null> {
  const found = await db.automationDefinitions.findOne<DraftDefinition>({ _id: draftId(_id), projectId });
  return found && contentOf(found);
}

function refuseArchived({ status }: Automation): void {
  if (status === 'archived') throw conflict('INVALID_STATE', 'The automation is archived; it cannot be edited.');
}
