import type { simulateBody } from '../../../schemas/automations/simulation.ts';
import type { ContactField } from '../../../schemas/people/contacts.ts';
import type { Described } from '../../../schemas/schema.ts';
import { invalid } from '../../base/errors.ts';
import { findById, parseId } from '../../base/ids.ts';
import type { Project } from '../../base/model.ts';
import { normalizeEmail } from '../../base/text/addresses.ts';
import { readDate } from '../../base/text/coercion.ts';
import { breather } from '../../base/work/breathe.ts';
import { liveGroups } from '../../consent/suppressions/find-groups.ts';
import { suppressionsAgainst } from '../../consent/suppressions/suppressions.ts';
import type { DraftPreview } from '../../mail/previews/drafts.ts';
import type { ContactChange } from '../../people/changes/apply-change.ts';
import type { View } from '../../people/changes/compare-segments.ts';
import { getContact, requestedFields } from '../../people/contacts/contacts.ts';
import { listsNamed } from '../../people/lists/lists.ts';
import type { Contact } from '../../people/model.ts';
import { readPast, readTally } from '../../people/past.ts';
import { type ProjectRules, projectRulesOf } from '../../people/project-rules.ts';
import type { AutomationsDeps } from '../deps.ts';
import { readAutomation } from '../drafts/drafts.ts';
import { goneLists, personChanges } from '../enrollments/person-changes.ts';
import { declaredTypes } from '../entrances.ts';
import { readEvent } from '../events/send.ts';
import type { AutomationDefinition } from '../model/definition.ts';
import { compileAutomation } from '../rules/compile.ts';
import { isUnsubscribed } from '../rules/exits.ts';
import { type Simulation, simulate, type World } from '../rules/simulator.ts';
import { answerOf } from '../rules/webhooks/answer.ts';
import { mailsOf, previewOf, type SimulatedMail } from './mails.ts';

type SimulationInput = Described<typeof simulateBody>;
type PersonInput = Pick<
  NonNullable<SimulationInput['changes']>[number],
  ContactField | 'contactProperties' | 'customFields' | 'listIds'
>;

export interface SimulatedAutomation extends Simulation {
  mails: SimulatedMail[];
  /** Of the mail that was asked for. */
  preview: DraftPreview | null;
}

const SAMPLE_EMAIL = 'somebody@example.com';

/** The step interpreter on a virtual clock: nothing is sent or stored. Works in every status. */
export async function simulateAutomation(
  deps: AutomationsDeps,
  project: Project,
  id: string,
  { version, ...input }: SimulationInput,
): Promise<SimulatedAutomation> {
  const { automation, content } = await readAutomation(deps, project, id, version);
  const rules = await projectRulesOf(deps, project._id);
  const fromMs = input.from === undefined ? deps.clock.now().getTime() : timeOf(input.from, 'from', null);
  const compiled = compileAutomation(content, declaredTypes(rules, content.entryCriteria), automation, rules.zones);
  const [pastOf, goneListIds] = await Promise.all([
    pastOfContact(deps, project, rules, input.contact),
    goneLists(deps, project._id, content),
  ]);
  const people = personChanges(rules, { projectId: project._id, pastOf, goneListIds });
  const beginning = await firstContact(deps, project, input.contact ?? {}, people, fromMs);
  const occurrences: World['occurrences'] = [];
  for (const [index, change] of (input.changes ?? []).entries()) {
    const atMs = timeOf(change.at, `changes/${index}/at`, fromMs);
    const wish = await wishOf(deps, project, change, `changes/${index}`);
    const { deleted, unsubscribed } = change;
    const apply = (before: Contact) => people.change(before, wish, atMs);
    occurrences.push({ kind: 'change', atMs, apply, deleted: deleted ?? false, unsubscribed: unsubscribed ?? null });
  }
  for (const [index, { at, eventName, properties = {} }] of (input.events ?? []).entries()) {
    const atMs = timeOf(at, `events/${index}/at`, fromMs);
    const event = { name: eventName, properties: readEvent(rules, eventName, properties) };
    occurrences.push({ kind: 'event', atMs, event });
  }
  for (const [index, act] of (input.acts ?? []).entries())
    occurrences.push(await actOf(deps, project, act, { path: `acts/${index}`, fromMs }));
  const who = { $in: [beginning.contact._id] };
  const tally = await readTally(deps, { projectId: project._id, who, behaviours: compiled.behaviours });
  const isEntered = input.byHand ?? false;
  const own = {
    isEntered,
    automationId: automation._id,
    change: people.update,
    answerAt: answersOf(content, input.answers),
  };
  const world = { fromMs, ...beginning, ...own, occurrences, tally };
  const simulation = await simulate(compiled, world, breather());
  return {
    ...simulation,
    mails: await mailsOf(deps, project, content, simulation),
    preview: await previewOf(deps, project, content, { sent: simulation.sent, number: input.preview }),
  };
}

async function actOf(
  deps: AutomationsDeps,
  project: Project,
  { at, kind, url, stepId, formId, address }: NonNullable<SimulationInput['acts']>[number],
  { path, fromMs }: { path: string; fromMs: number },
): Promise<World['occurrences'][number]> {
  const atMs = timeOf(at, `${path}/at`, fromMs);
  if (kind === 'writes') {
    const email = normalizeEmail(address ?? '');
    if (!email) throw invalid(`${path} needs an address.`, `${path}/address: must be an email address for writes`);
    return { kind, atMs, address: email };
  }
  if (kind !== 'submits') return { kind: 'act', atMs, act: kind, url, stepId };
  if (!formId) throw invalid(`${path} needs the id of a form.`, `${path}/formId: is required for submits`);
  const form = await findById(deps.db.forms, project, formId, 'FORM', `${path}/formId`);
  return { kind, atMs, formId: form._id.toHexString() };
}

/** Without one that the caller gives a webhook takes the event, and says nothing of the person. */
function answersOf(
  { steps }: Pick<AutomationDefinition, 'steps'>,
  answers: NonNullable<SimulationInput['answers']> = {},
): World['answerAt'] {
  const awaited = new Set(steps.flatMap((step) => (step.type === 'webhook' && step.webhook.wait ? step.stepId : [])));
  const stray = Object.keys(answers).find((stepId) => !awaited.has(stepId));
  if (stray !== undefined)
    throw invalid(
      'answers names a step that waits for no answer.',
      `answers/${stray}: must name a webhook step with wait: true`,
    );
  return (stepId) => {
    const { status = 200, contactProperties } = Object.hasOwn(answers, stepId) ? (answers[stepId] ?? {}) : {};
    return status >= 200 && status < 300 ? answerOf({ contactProperties }) : null;
  };
}

/** For the segments of a stored contact; one that is made up did nothing. */
async function pastOfContact(
  deps: AutomationsDeps,
  project: Project,
  { behaviours }: ProjectRules,
  contact: SimulationInput['contact'],
): Promise<View['pastOf']> {
  const _id = parseId(contact?.contactId);
  return _id && readPast(deps, { projectId: project._id, who: { $in: [_id] }, behaviours });
}

/** The contact at the beginning; a stored one brings its values and its suppressions. */
async function firstContact(
  deps: AutomationsDeps,
  project: Project,
  { contactId, email, ...person }: NonNullable<SimulationInput['contact']>,
  people: ReturnType<typeof personChanges>,
  fromMs: number,
): Promise<Pick<World, 'contact' | 'isUnsubscribed'>> {
  const wish = await wishOf(deps, project, person, 'contact');
  if (!contactId) {
    const address = email === undefined ? SAMPLE_EMAIL : normalizeEmail(email);
    if (!address) throw invalid('contact/email must be an email address.', 'contact/email: must be an email address');
    return { contact: people.create(address, wish, fromMs), isUnsubscribed: () => false };
  }
  const stored = await getContact(deps, project, contactId);
  const entries = (await suppressionsAgainst(deps, project._id, [stored.email])).get(stored.email) ?? [];
  const live = new Set((await liveGroups(deps, project)).map(({ groupId }) => groupId));
  return {
    contact: people.change(stored, wish, fromMs),
    isUnsubscribed: (groupId) => isUnsubscribed(entries, { groupId, isGroupGone: !live.has(groupId ?? '') }),
  };
}

async function wishOf(
  deps: AutomationsDeps,
  project: Project,
  { listIds, removeListIds, ...fields }: PersonInput & { removeListIds?: string[] | undefined },
  path: string,
): Promise<Partial<ContactChange>> {
  return {
    ...requestedFields(fields),
    addListIds: await listsNamed(deps, project, listIds, `${path}/listIds`),
    removeListIds: await listsNamed(deps, project, removeListIds, `${path}/removeListIds`),
  };
}

function timeOf(text: string, path: string, fromMs: number | null): number {
  const ms = readDate(text);
  if (ms === null) throw invalid(`${path} must be an ISO 8601 time.`, `${path}: must be an ISO 8601 time`);
  if (fromMs !== null && ms < fromMs) throw invalid(`${path} is before from.`, `${path}: must not be before from`);
  return ms;
}
