import type { updateAutomationBody } from '../../schemas/automations/automations.ts';
import type { Described } from '../../schemas/schema.ts';
import { insertOnce } from '../base/database/idempotent-insert.ts';
import { named } from '../base/database/search.ts';
import { conflict, invalid } from '../base/errors.ts';
import { derivedId } from '../base/ids.ts';
import { madeBy, type Origin, refuseAuthor } from '../base/maker.ts';
import type { Project } from '../base/model.ts';
import { type Page, type PageOf, pageOf } from '../base/paging.ts';
import { breather } from '../base/work/breathe.ts';
import { limitsOf, projectRulesOf } from '../people/project-rules.ts';
import { compiled } from '../templates/cache.ts';
import { getAutomation, keepDefinition, unchangedSince } from './definitions.ts';
import type { AutomationsDeps } from './deps.ts';
import { declaredTypes } from './entrances.ts';
import { insertActive } from './lifecycle.ts';
import type { Automation, AutomationContent, AutomationStatus } from './model/automation.ts';
import type { AutomationStep } from './model/definition.ts';
import { refuseIncomplete, requireNamed, withStoredIds } from './references.ts';
import { namesAwaited } from './rules/awaited.ts';
import { draftFaults, searchFaults, withFieldTypes } from './rules/definition.ts';
import { readEntry, readExit, readReentry, readSteps } from './rules/parse-definition.ts';
import { placeholdersOf, valueFaults } from './rules/update.ts';
import { withWrittenMails } from './steps/written-mails.ts';
import { addressFaults } from './webhooks/addresses.ts';
import { keepStepHeaders } from './webhooks/headers.ts';

export type AutomationInput = Described<typeof updateAutomationBody>;

/** With `active` the automation is activated in the same call, or not created at all. */
export async function createAutomation(
  deps: AutomationsDeps,
  project: Project,
  { active = false, ...input }: AutomationInput & { active?: boolean | undefined },
  { at, seed, by }: Origin,
): Promise<Automation> {
  if (active) refuseAuthor({ by }, 'activate');
  const draft: Automation = {
    _id: derivedId(at, 'automation', seed.toHexString()),
    ...madeBy({ by }),
    projectId: project._id,
    organizationId: project.organizationId,
    name: input.name ?? '',
    description: input.description ?? '',
    status: 'draft',
    entryCriteria: readEntry(input.entryCriteria),
    ...readReentry(input.reentry),
    exitCriteria: readExit(input.exitCriteria),
    steps: await stepsOf(deps, project, input.steps ?? [], { newId: newStepId({ at, seed }) }),
    tags: input.tags ?? [],
    unsubscribeGroupId: input.unsubscribeGroupId || null,
    trackingOpen: input.trackingOpen ?? project.trackingOpen,
    utm: input.utm ?? null,
    trackingClick: input.trackingClick ?? project.trackingClick,
    version: 1,
    moveBefore: 0,
    draft: null,
    draftRevision: 0,
    activeAt: null,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
  };
  const checked = await checkContent(deps, project, draft, { areStepsNew: true });
  if (active) await refuseIncomplete(deps, project, checked);
  else await requireNamed(deps, project, checked);
  await keepStepHeaders(deps, project, checked.steps, { automationId: checked._id, given: input.steps });
  const stored = { ...checked, awaited: namesAwaited(checked, checked.steps) };
  if (active) return insertActive(deps, stored);
  return insertOnce(deps.db.automations, stored, { projectId: project._id });
}

export async function listAutomations(
  deps: AutomationsDeps,
  project: Project,
  { status, search, ...page }: Page & { status?: AutomationStatus | undefined; search?: string | undefined },
): Promise<PageOf<Automation>> {
  const filter = { projectId: project._id, deletedAt: null, ...(status ? { status } : {}), ...named(search, 'name') };
  // Without the hint MongoDB may read the automations of all projects in the order of their ids.
  return pageOf(deps.db.automations, filter, page, { sort: { _id: -1 }, hint: 'project' });
}

export { getAutomation };

/** In draft or paused. The old version is kept for enrolled contacts, unless they are to be moved. */
export async function updateAutomation(
  deps: AutomationsDeps,
  project: Project,
  id: string,
  { existing = 'keep', draftRevision, ...input }: AutomationInput,
  origin: Origin,
): Promise<Automation> {
  const before = await getAutomation(deps, project, id);
  refuseEdit(before);
  if (before.activeAt) refuseAuthor(origin, 'changeActivated');
  refuseUnseenDraft(before, draftRevision);
  const content = await changedContent(deps, project, before, input, origin);
  const changed = await checkContent(deps, project, content, { areStepsNew: input.steps !== undefined });
  await requireNamed(deps, project, changed);
  await keepStepHeaders(deps, project, changed.steps, {
    automationId: before._id,
    given: input.steps,
    before: before.steps,
  });
  if (before.activeAt) await keepDefinition(deps, before);
  const { _id, projectId } = before;
  const updated = await deps.db.automations.findOneAndUpdate(
    { _id, projectId, ...unchangedSince(before) },
    { $set: nextVersion(deps, before, { content: changed, existing }), $inc: { draftRevision: 1 } },
    { returnDocument: 'after' },
  );
  // Another call changed the automation first: start again from the state it left.
  return updated ?? updateAutomation(deps, project, id, { existing, draftRevision, ...input }, origin);
}

/** The content after a PATCH: fields that are left out stay. */
export async function changedContent(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  before: AutomationContent,
  input: AutomationInput,
  origin: Origin,
): Promise<AutomationContent> {
  return {
    name: input.name ?? before.name,
    description: input.description ?? before.description,
    entryCriteria: input.entryCriteria ? readEntry(input.entryCriteria) : before.entryCriteria,
    ...readReentry(input.reentry ?? before.reentry),
    exitCriteria: input.exitCriteria ? readExit(input.exitCriteria) : before.exitCriteria,
    steps: input.steps
      ? await stepsOf(deps, project, input.steps, { newId: newStepId(origin), before: before.steps })
      : before.steps,
    tags: input.tags ?? before.tags,
    unsubscribeGroupId:
      input.unsubscribeGroupId === undefined ? before.unsubscribeGroupId : input.unsubscribeGroupId || null,
    trackingOpen: input.trackingOpen ?? before.trackingOpen,
    utm: (input.utm === undefined ? before.utm : input.utm) ?? null,
    trackingClick: input.trackingClick ?? before.trackingClick,
  };
}

async function stepsOf(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  given: NonNullable<AutomationInput['steps']>,
  { newId, before }: { newId: (place: string) => string; before?: readonly AutomationStep[] },
): Promise<AutomationStep[]> {
  return withWrittenMails(deps, project, readSteps(given, newId, before), given, before);
}

/** The fields of the automation that change when the content becomes its definition. */
export function nextVersion(
  { clock }: Pick<AutomationsDeps, 'clock'>,
  before: Automation,
  { content, existing }: { content: AutomationContent; existing: 'keep' | 'move' },
): Partial<Automation> {
  // No person is inside one that never ran, and no draft was begun from what goes: the first version is the first that runs.
  const isFirst = before.activeAt === null && !before.draft;
  const version = isFirst ? before.version : before.version + 1;
  const moveBefore = existing === 'move' ? version : before.moveBefore;
  const awaited = [...new Set([...(before.awaited ?? []), ...namesAwaited(before, content.steps)])];
  return { ...content, awaited, version, moveBefore, updatedAt: clock.now() };
}

/** For a caller who says which state they changed: what was saved since is not overwritten. */
export function refuseUnseenDraft({ draftRevision = 0 }: Automation, seen: number | undefined): void {
  if (seen === undefined || seen === draftRevision) return;
  throw conflict(
    'INVALID_STATE',
    `The automation or its draft was saved meanwhile: its draftRevision is ${draftRevision}. Look at it and repeat the call with draftRevision: ${draftRevision}.`,
    `draftRevision: is ${draftRevision}`,
  );
}

/** Steps that are stored were checked when they came: a date in a filter may have become older since than facts are kept. */
export async function checkContent<T extends AutomationContent>(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  draft: T,
  { areStepsNew }: { areStepsNew: boolean },
): Promise<T> {
  const rules = await projectRulesOf(deps, project._id);
  const types = declaredTypes(rules, draft.entryCriteria);
  const declared = areStepsNew ? { ...limitsOf(deps, rules), ...types } : types;
  const faults = [...draftFaults(draft, declared), ...addressFaults(deps, draft.steps).map(unfit)];
  const first = faults[0];
  if (first) {
    const details = faults.filter(({ code }) => code === first.code).map((fault) => fault.details);
    throw invalid(`The automation is not valid: ${details.join('; ')}`, details.join('; '), first.code);
  }
  const [searching] = areStepsNew ? searchFaults(draft.steps, declared) : [];
  if (searching) throw invalid(`The automation is not valid: ${searching}`, searching);
  const pause = breather();
  for (const [index, step] of draft.steps.entries()) {
    await pause();
    checkTemplates(step, `steps/${index}`);
    if (step.type !== 'update_contact' || !areStepsNew) continue;
    const values = valueFaults(step.update, `steps/${index}/update`, declared).join('; ');
    if (values) throw invalid(`The automation is not valid: ${values}`, values);
  }
  return withStoredIds(deps, project, withFieldTypes(draft, declared));
}

function unfit(details: string) {
  return { code: 'VALIDATION_ERROR' as const, details };
}

/** Template source that does not parse is refused when it is saved. */
function checkTemplates(step: AutomationStep, path: string): void {
  if (step.type === 'update_contact')
    for (const { source, field } of placeholdersOf(step.update, `${path}/update`)) compiled(source, 'text', field);
  if (step.type !== 'email') return;
  const { htmlTemplate, subject, previewText } = step.email;
  if (htmlTemplate !== undefined) compiled(htmlTemplate, 'html', `${path}/email/htmlTemplate`);
  if (subject !== undefined) compiled(subject, 'subject', `${path}/email/subject`);
  if (previewText !== undefined) compiled(previewText, 'subject', `${path}/email/previewText`);
}

function refuseEdit({ status }: Automation): void {
  if (status === 'draft' || status === 'paused') return;
  throw conflict(
    'INVALID_STATE',
    `The automation is ${status}; it can be edited as draft or paused${status === 'active' ? ': pause it first, or save the change with draft: true' : ''}.`,
  );
}

/** A repeat of the same request derives the same ids. */
function newStepId({ at, seed }: Origin): (place: string) => string {
  return (place) => derivedId(at, 'step', seed.toHexString(), place).toHexString();
}
