import type { ObjectId } from 'mongodb';
import type { PropertyType, Session } from '../base/model.ts';
import { type SearchedFilter, storedLength } from '../people/lists/searched.ts';
import type { AddedRules, ProjectRules } from '../people/project-rules.ts';
import type { AutomationsDeps } from './deps.ts';
import type { EntryCriteria, EventDefinition } from './model.ts';
import { type AutomationTypes, typesOf } from './rules/awaited.ts';
import { type CompiledEntry, compileEntry } from './rules/entry.ts';
import type { Zones } from './rules/waits.ts';

/** A live automation, reduced to its entry criteria. */
interface Entrance {
  _id: ObjectId;
  entry: CompiledEntry;
}

/** The part of the project rules that enrolls contacts: declared events, the entry criteria of live automations, and zones. */
export async function readEntrances(
  deps: Pick<AutomationsDeps, 'db'>,
  projectId: ObjectId,
  fieldTypes: Record<string, PropertyType>,
): Promise<AddedRules> {
  const [definitions, live, project] = await Promise.all([
    deps.db.eventDefinitions.find({ projectId }).toArray(),
    deps.db.automations
      .find({ projectId, status: { $in: ['active', 'paused'] }, deletedAt: null }, { projection: { steps: 0 } })
      .toArray(),
    deps.db.projects.findOne({ _id: projectId }, { projection: { timezone: 1, timezoneProperty: 1 } }),
  ]);
  const { timezone = 'UTC', timezoneProperty = null } = project ?? {};
  const events = new Map(definitions.map((definition) => [definition.eventName, definition]));
  const eventTypes = Object.fromEntries(definitions.map((one) => [one.eventName, propertyTypes(one)]));
  const entrances = live
    .filter(({ status }) => status === 'active')
    .map(({ _id, entryCriteria }) => ({
      _id,
      entry: compileEntry(entryCriteria, declaredTypes({ fieldTypes, eventTypes }, entryCriteria)),
    }));
  // Of paused ones too: an event that comes during the pause counts when they continue.
  const awaited = new Set(live.flatMap((one) => one.awaited ?? []));
  return { events, eventTypes, entrances, awaited, zones: { timezone, timezoneProperty } };
}

/** The entry criteria of active automations. */
export async function searchedEntries(
  { db }: AutomationsDeps,
  session: Session,
  projectId: ObjectId,
): Promise<SearchedFilter[]> {
  const live = await db.automations
    .find({ projectId, status: 'active', deletedAt: null }, { session, projection: { entryCriteria: 1 } })
    .toArray();
  return live.map(({ _id, entryCriteria }) => ({ _id, length: storedLength(entryCriteria) }));
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
    zones: Zones;
  }
}
