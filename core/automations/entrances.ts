import type { ObjectId } from 'mongodb';
import type { PropertyType, Session } from '../base/model.ts';
import { type SearchedFilter, storedLength } from '../people/lists/searched.ts';
import type { AddedRules, ProjectRules } from '../people/project-rules.ts';
import type { AutomationsDeps } from './deps.ts';
import type { Automation, PastDefinition } from './model/automation.ts';
import type { AutomationDefinition, EntryCriteria } from './model/definition.ts';
import type { EventDefinition } from './model/event.ts';
import { type AutomationTypes, goalsOfPeople, hasGoalsOfPeople, nameOfGoal, typesOf } from './rules/awaited.ts';
import { compileCriteria } from './rules/criteria.ts';
import { type CompiledEntry, compileEntry, type Person } from './rules/entry.ts';
import type { Zones } from './rules/waits.ts';

/** A goal that a change of a contact may reach. */
interface WatchedGoal {
  /** By which the enrollments are found that have it before them. */
  name: string;
  matches(person: Person): boolean;
}

/** A live automation, reduced to its entry criteria. */
interface Entrance {
  _id: ObjectId;
  entry: CompiledEntry;
  activeAt: Date | null;
}

/** The part of the project rules that enrolls contacts: declared events, the entry criteria of live automations, and zones. */
export async function readEntrances(
  deps: Pick<AutomationsDeps, 'db'>,
  projectId: ObjectId,
  fieldTypes: Record<string, PropertyType>,
): Promise<AddedRules> {
  const [definitions, begun, project] = await Promise.all([
    deps.db.eventDefinitions.find({ projectId }).toArray(),
    deps.db.automations
      .find({ projectId, status: { $in: ['active', 'paused'] }, deletedAt: null }, { projection: { steps: 0 } })
      .toArray(),
    deps.db.projects.findOne({ _id: projectId }, { projection: { timezone: 1, timezoneProperty: 1 } }),
  ]);
  const { timezone = 'UTC', timezoneProperty = null } = project ?? {};
  const events = new Map(definitions.map((definition) => [definition.eventName, definition]));
  const eventTypes = Object.fromEntries(definitions.map((one) => [one.eventName, propertyTypes(one)]));
  const entrances = begun
    .filter(({ status }) => status === 'active')
    .map(({ _id, entryCriteria, activeAt }) => ({
      _id,
      activeAt,
      entry: compileEntry(entryCriteria, declaredTypes({ fieldTypes, eventTypes }, entryCriteria)),
    }));
  // Of paused ones too: an event that comes during the pause counts when they continue.
  const awaited = new Set(begun.flatMap((one) => one.awaited ?? []));
  const goals = await readGoals(deps, projectId, begun, fieldTypes);
  const dateAutomationIds = begun.filter(({ dates }) => dates).map(({ _id }) => _id);
  const zones = { timezone, timezoneProperty };
  return { events, eventTypes, entrances, awaited, goals, dateAutomationIds, zones };
}

const GOALS = { 'steps.type': 1, 'steps.stepId': 1, 'steps.eventName': 1, 'steps.filterCriteria': 1 } as const;

/** Of all versions, since people may be inside each; the same criteria once. Without such goals nothing is read. */
async function readGoals(
  { db }: Pick<AutomationsDeps, 'db'>,
  projectId: ObjectId,
  live: Array<Pick<Automation, '_id' | 'awaited'>>,
  fieldTypes: Record<string, PropertyType>,
): Promise<WatchedGoal[]> {
  const owners = live.filter(({ awaited }) => hasGoalsOfPeople(awaited)).map(({ _id }) => _id);
  if (owners.length === 0) return [];
  const [now, past] = await Promise.all([
    db.automations.find({ projectId, _id: { $in: owners } }, { projection: GOALS }).toArray(),
    db.automationDefinitions
      .find<PastDefinition>({ projectId, automationId: { $in: owners } }, { projection: { ...GOALS, automationId: 1 } })
      .toArray(),
  ]);
  const versions = [...now, ...past.map(({ automationId, steps }) => ({ _id: automationId, steps }))];
  const goals = new Map<string, WatchedGoal>();
  for (const { _id, steps } of versions)
    for (const goal of goalsOfPeople(steps)) {
      const name = nameOfGoal({ _id }, goal);
      const { matches } = compileCriteria(goal.filterCriteria ?? null, { contactProperties: fieldTypes });
      goals.set(`${name} ${JSON.stringify(goal.filterCriteria)}`, { name, matches: (contact) => matches({ contact }) });
    }
  return [...goals.values()];
}

/** The entry criteria and goals of active automations. */
export async function searchedEntries(
  { db }: AutomationsDeps,
  session: Session,
  projectId: ObjectId,
): Promise<SearchedFilter[]> {
  const live = await db.automations
    .find({ projectId, status: 'active', deletedAt: null }, { session, projection: { entryCriteria: 1, ...GOALS } })
    .toArray();
  return live.map((automation) => ({ _id: automation._id, length: searchedBy(automation) }));
}

/** The characters that the filters of an automation search for with which every change of a contact is compared. */
export function searchedBy({ entryCriteria, steps }: Pick<AutomationDefinition, 'entryCriteria' | 'steps'>): number {
  return [entryCriteria, ...goalsOfPeople(steps)].reduce((sum, one) => sum + storedLength(one), 0);
}

/** The types that a filter of this automation may use: event properties only when an event starts it. */
export function declaredTypes(
  { fieldTypes, eventTypes }: Pick<ProjectRules, 'fieldTypes' | 'eventTypes'>,
  { type, eventName = '' }: Pick<EntryCriteria, 'type' | 'eventName'>,
): AutomationTypes {
  const declared = { contactProperties: fieldTypes, events: eventTypes };
  return type === 'event_trigger' ? { ...declared, ...typesOf(eventName, declared) } : declared;
}

function propertyTypes({ properties }: Pick<EventDefinition, 'properties'>): Record<string, PropertyType> {
  return Object.fromEntries(properties.map(({ propertyName, type }) => [propertyName, type]));
}

declare module '../people/project-rules.ts' {
  interface AddedRules {
    events: Map<string, EventDefinition>;
    entrances: Entrance[];
    /** Names of what people who are inside automations may wait for. */
    awaited: ReadonlySet<string>;
    goals: WatchedGoal[];
    /** Active and paused ones that have dates of contacts stored. */
    dateAutomationIds: ObjectId[];
    zones: Zones;
  }
}
