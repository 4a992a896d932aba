import type { ObjectId } from 'mongodb';
import { repeatOnDuplicate } from '../base/database/idempotent-insert.ts';
import { oncePerCore } from '../base/deps.ts';
import { notFound } from '../base/errors.ts';
import { parseId } from '../base/ids.ts';
import type { Project, Session } from '../base/model.ts';
import { BoundedMap } from '../base/work/cache.ts';
import { projectRulesOf } from '../people/project-rules.ts';
import type { AutomationsDeps } from './deps.ts';
import { declaredTypes } from './entrances.ts';
import type { Automation, AutomationContent, PastDefinition } from './model/automation.ts';
import type { AutomationDefinition } from './model/definition.ts';
import type { Enrollment } from './model/enrollment.ts';
import { type CompiledAutomation, compileAutomation } from './rules/compile.ts';
import { readReentry } from './rules/parse-definition.ts';

const CACHE_SIZE_MAX = 500;
const compiled = oncePerCore(() => new BoundedMap<string, CompiledAutomation>(CACHE_SIZE_MAX));

export async function getAutomation(
  deps: AutomationsDeps,
  project: Pick<Project, '_id'>,
  id: string,
): Promise<Automation> {
  const _id = parseId(id);
  const found = _id && (await deps.db.automations.findOne({ _id, projectId: project._id, deletedAt: null }));
  if (!found) throw notFound('AUTOMATION');
  return found;
}

/** The compiled definition of that version; null while a PATCH is replacing it: read the automation again. */
export async function definitionOf(
  deps: AutomationsDeps,
  automation: Automation,
  version: number,
): Promise<CompiledAutomation | null> {
  const rules = await projectRulesOf(deps, automation.projectId);
  const cache = compiled(deps);
  const key = `${automation._id.toHexString()}:${version}:${rules.version}`;
  const known = cache.get(key);
  if (known) return known;
  const definition = version === automation.version ? automation : await pastDefinition(deps, automation, version);
  if (!definition) return null;
  const made = compileAutomation(definition, declaredTypes(rules, definition.entryCriteria), automation, rules.zones);
  cache.set(key, made);
  return made;
}

type Inside = Pick<Enrollment, 'automationId' | 'version'>;

/** The suppression group of each of these enrollments: that of the version by which its contact is inside. */
export async function groupReader(
  { db }: Pick<AutomationsDeps, 'db'>,
  projectId: ObjectId,
  inside: Inside[],
): Promise<(enrollment: Inside) => string | null> {
  const projection = { version: 1, moveBefore: 1, unsubscribeGroupId: 1 };
  const ids = inside.map(({ automationId }) => automationId);
  const automations = await db.automations.find({ _id: { $in: ids }, projectId }, { projection }).toArray();
  const byId = new Map(automations.map((automation) => [automation._id.toHexString(), automation]));
  const keyOf = ({ automationId, version }: Inside) =>
    pastId(automationId, Math.max(version, byId.get(automationId.toHexString())?.moveBefore ?? 0));
  const pastIds = [...new Set(inside.map(keyOf))];
  const past = await db.automationDefinitions.find({ _id: { $in: pastIds }, projectId }, { projection }).toArray();
  const groups = new Map(past.map(({ _id, unsubscribeGroupId }) => [_id, unsubscribeGroupId]));
  for (const { _id, version, unsubscribeGroupId } of automations) groups.set(pastId(_id, version), unsubscribeGroupId);
  return (enrollment) => groups.get(keyOf(enrollment)) ?? null;
}

/** Stored before the version that replaces it, so that enrolled contacts always find theirs. */
export async function keepDefinition(
  { db }: Pick<AutomationsDeps, 'db'>,
  automation: Automation,
  session?: Session,
): Promise<void> {
  const { _id, projectId, version } = automation;
  const past: PastDefinition = {
    _id: pastId(_id, version),
    projectId,
    automationId: _id,
    version,
    ...definitionFields(automation),
  };
  const options = { upsert: true, ...(session && { session }) };
  const write = () => db.automationDefinitions.replaceOne({ _id: past._id, projectId }, past, options);
  // In a transaction a duplicate ends all of it, and the caller repeats that.
  await (session ? write() : repeatOnDuplicate(write));
}

/** The filter of a write that must not overwrite what another call has saved. */
export function unchangedSince({ version, status, draftRevision }: Automation) {
  return { version, status, deletedAt: null, draftRevision: draftRevision ?? { $exists: false } };
}

export function contentOf(content: AutomationContent): AutomationContent {
  const { name, description, tags } = content;
  return { name, description, tags, ...definitionFields(content) };
}

function definitionFields(definition: AutomationDefinition): AutomationDefinition {
  const {
    entryCriteria,
    exitCriteria,
    steps,
    unsubscribeGroupId,
    trackingOpen,
    trackingClick,
    utm = null,
  } = definition;
  const entry = { entryCriteria, ...readReentry(definition.reentry) };
  return { ...entry, exitCriteria, steps, unsubscribeGroupId, trackingOpen, trackingClick, utm };
}

function pastDefinition(
  deps: AutomationsDeps,
  { _id, projectId }: Pick<Automation, '_id' | 'projectId'>,
  version: number,
): Promise<PastDefinition | null> {
  return deps.db.automationDefinitions.findOne<PastDefinition>({ _id: pastId(_id, version), projectId });
}

function pastId(automationId: ObjectId, version: number): string {
  return `${automationId.toHexString()}:${version}`;
}

export function draftId(automationId: ObjectId): string {
  return `${automationId.toHexString()}:draft`;
}
