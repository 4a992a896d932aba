import { inTransaction } from '../../base/database/transactions.ts';
import { conflict } from '../../base/errors.ts';
import type { Project } from '../../base/model.ts';
import { wakeQueue } from '../../jobs/queue.ts';
import { checkContent, nextVersion, refuseUnseenDraft } from '../automations.ts';
import { dateSearch } from '../dates/search.ts';
import { draftId, keepDefinition, unchangedSince } from '../definitions.ts';
import type { AutomationsDeps } from '../deps.ts';
import { touchRules } from '../lifecycle.ts';
import type { Automation, AutomationContent, DraftMark } from '../model/automation.ts';
import { AT_ONCE, AUTOMATION_CHANGES } from '../record-triggers.ts';
import { refuseIncomplete, requireNamed } from '../references.ts';
import { isSameDate } from '../rules/dates.ts';
import { type Inside, insideOf } from '../statistics.ts';
import { readAutomation, requireDraft } from './drafts.ts';

interface Publication {
  existing?: 'keep' | 'move' | undefined;
  draftRevision?: number | undefined;
}

export interface Published {
  automation: Automation;
  /** Those inside when it was published. */
  inside: Inside;
}

/** The draft becomes the definition, with the next version. Those inside keep theirs, or move as with a PATCH. */
export async function publishAutomation(
  deps: AutomationsDeps,
  project: Project,
  id: string,
  publication: Publication,
): Promise<Published> {
  const { existing = 'keep', draftRevision } = publication;
  const { automation: before, content: saved } = await readAutomation(deps, project, id, 'draft');
  const draft = requireDraft(before);
  refuseUnseenDraft(before, draftRevision);
  refuseOutdated(before, draft);
  const content = await checkedContent(deps, project, before, saved);
  const inside = await insideOf(deps, before, content);
  const after = await storeVersion(deps, before, content, existing);
  // Another call changed the automation first: start again from the state it left.
  if (!after) return publishAutomation(deps, project, id, publication);
  if (after.dueAt) wakeQueue(deps, AUTOMATION_CHANGES, after.projectId);
  return { automation: after, inside };
}

/** The definition of an active or paused automation must be complete; that of others is checked when they are activated. */
async function checkedContent(
  deps: AutomationsDeps,
  project: Project,
  { status }: Automation,
  draft: AutomationContent,
): Promise<AutomationContent> {
  const content = await checkContent(deps, project, draft, { areStepsNew: false });
  if (status === 'draft') await requireNamed(deps, project, content);
  else await refuseIncomplete(deps, project, content, 'The draft cannot be published');
  return content;
}

/** null: another call changed the automation first. */
async function storeVersion(
  deps: AutomationsDeps,
  before: Automation,
  content: AutomationContent,
  existing: 'keep' | 'move',
): Promise<Automation | null> {
  const { _id, projectId, status, activeAt } = before;
  const isRunning = status === 'active';
  // A resume moves those inside a paused automation.
  const moves = isRunning && existing === 'move' ? { dueAt: AT_ONCE } : {};
  const $set = {
    ...nextVersion(deps, before, { content, existing }),
    draft: null,
    ...(isRunning && !waitsForSame(before, content) ? dateSearch(deps, content) : {}),
    ...moves,
  };
  return inTransaction(deps, async (session) => {
    const after = await deps.db.automations.findOneAndUpdate(
      { _id, projectId, ...unchangedSince(before) },
      { $set, $inc: { draftRevision: 1 } },
      { session, returnDocument: 'after' },
    );
    if (!after) return null;
    if (activeAt) await keepDefinition(deps, before, session);
    await deps.db.automationDefinitions.deleteOne({ _id: draftId(_id), projectId }, { session });
    if (isRunning) await touchRules(deps, session, after, before);
    return after;
  });
}

function waitsForSame({ entryCriteria: before }: Automation, { entryCriteria: after }: AutomationContent): boolean {
  return before.type === after.type && isSameDate(before, after);
}

/** Publishing it would take back what a PATCH has changed since. */
function refuseOutdated({ version, draftRevision }: Automation, { baseVersion }: DraftMark): void {
  if (baseVersion === version) return;
  throw conflict(
    'INVALID_STATE',
    `Version ${version} was saved after the draft was begun from version ${baseVersion}. Compare the two, save the draft again with ` +
      `draft: true and draftRevision: ${draftRevision}, and publish that.`,
    `draft: is older than version ${version}`,
  );
}
