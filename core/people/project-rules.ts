import type { ObjectId } from 'mongodb';
import { createBatcher } from '../base/database/batcher.ts';
import { oncePerCore } from '../base/deps.ts';
import type { Project, PropertyType, Session } from '../base/model.ts';
import { raiseAudienceVersion } from '../base/projects.ts';
import { breather } from '../base/work/breathe.ts';
import { BoundedMap } from '../base/work/cache.ts';
import type { PeopleDeps } from './deps.ts';
import {
  type Behaviour,
  behavioursOf,
  compileFilter,
  compileWindows,
  type DeclaredTypes,
  type Filter,
  type FilterSubject,
  filterFields,
  hasConditions,
  parseFilter,
} from './filters/filters.ts';
import type { CustomField } from './model.ts';

/** The part of the project rules that automations add, by declaration merging. */
export interface AddedRules {
  /** The declared events, with the types of their properties. */
  eventTypes: Record<string, Record<string, PropertyType>>;
}

/**
 * The rules that every change of a contact is compared with, compiled once for each version: declared fields, segments and live
 * automations.
 */
export interface ProjectRules extends AddedRules {
  version: number;
  fields: Map<string, CustomField>;
  fieldTypes: Record<string, PropertyType>;
  segments: CompiledSegment[];
  /** The questions of all segments about behaviour. */
  behaviours: Behaviour[];
  /** A segment asks about behaviour and about fields, so that a change of a field may need the contact's past. */
  mixesBehaviour: boolean;
}

interface CompiledSegment {
  _id: ObjectId;
  /** Fields and kinds of behaviour that it depends on, and `time` when it has windows. */
  fields: ReadonlySet<string>;
  matches(subject: FilterSubject): boolean;
  /** When time alone may change the result. */
  nextChange: ((subject: FilterSubject) => number) | null;
}

declare module '../base/deps.ts' {
  interface Subscribers {
    projectRules(deps: CallerDeps, projectId: ObjectId, fieldTypes: Record<string, PropertyType>): Promise<AddedRules>;
  }
}

const CACHE_SIZE_MAX = 1_000;
const TOGETHER_MAX = 200;
const compiled = oncePerCore(() => new BoundedMap<string, ProjectRules>(CACHE_SIZE_MAX));

/** One read of the project's version shows whether the compiled copy is current. */
export async function projectRulesOf(deps: PeopleDeps, projectId: ObjectId): Promise<ProjectRules> {
  const version = await versions(deps)(projectId);
  const cache = compiled(deps);
  const known = cache.get(projectId.toHexString());
  if (known?.version === version) return known;
  const made = await compileProjectRules(deps, projectId, version);
  cache.set(projectId.toHexString(), made);
  return made;
}

/** Needed for every change, so requests that arrive together share a read. */
const versions = oncePerCore(({ db }: PeopleDeps) =>
  createBatcher(
    async (ids: ObjectId[]) => {
      const found = await db.projects.find({ _id: { $in: ids } }, { projection: { audienceVersion: 1 } }).toArray();
      const byId = new Map(found.map(({ _id, audienceVersion }) => [_id.toHexString(), audienceVersion]));
      return ids.map((id) => byId.get(id.toHexString()) ?? 0);
    },
    { sizeMax: TOGETHER_MAX, runsMax: 2, callers: 'requests' },
  ),
);

/** Called after every write of custom fields, events, segments and automations, before the request is answered. */
export async function touchProjectRules(
  deps: PeopleDeps,
  project: Pick<Project, '_id'>,
  session?: Session,
): Promise<void> {
  await raiseAudienceVersion(deps, project._id, session);
}

async function compileProjectRules(deps: PeopleDeps, projectId: ObjectId, version: number): Promise<ProjectRules> {
  const [fields, segments] = await Promise.all([
    deps.db.customFields.find({ projectId }).toArray(),
    deps.db.contactLists.find({ projectId, type: 'segment' }).sort({ _id: 1 }).toArray(),
  ]);
  const fieldTypes = Object.fromEntries(fields.map(({ fieldName, fieldType }) => [fieldName, fieldType]));
  const added = await deps.subscribers.projectRules(deps, projectId, fieldTypes);
  const read: Array<{ filter: Filter; behaviours: Behaviour[]; segment: CompiledSegment }> = [];
  const pause = breather();
  for (const { _id, filterCriteria } of segments) {
    const parsed = parseFilter(filterCriteria, { contactProperties: fieldTypes });
    if (!parsed.ok) continue;
    const { filter } = parsed;
    read.push({ filter, behaviours: behavioursOf(filter), segment: compileSegment(_id, filter) });
    await pause();
  }
  return {
    ...added,
    version,
    fields: new Map(fields.map((field) => [field.fieldName, field])),
    fieldTypes,
    behaviours: read.flatMap(({ behaviours }) => behaviours),
    mixesBehaviour: read.some(({ filter, behaviours }) => behaviours.length > 0 && hasConditions(filter)),
    segments: read.map(({ segment }) => segment),
  };
}

function compileSegment(_id: ObjectId, filter: Filter): CompiledSegment {
  return {
    _id,
    fields: new Set(filterFields(filter)),
    matches: compileFilter(filter),
    nextChange: compileWindows(filter),
  };
}

/** The types and limits that a filter is checked against when it is saved. */
export function limitsOf(
  { config, clock }: Pick<PeopleDeps, 'config' | 'clock'>,
  { fieldTypes, eventTypes }: Pick<ProjectRules, 'fieldTypes' | 'eventTypes'>,
): DeclaredTypes {
  const { retentionDays } = config;
  const behaviour = { retentionDays, nowMs: clock.now().getTime(), events: eventTypes };
  return { contactProperties: fieldTypes, behaviour };
}
