import type { ObjectId } from 'mongodb';
import { createBatcher } from '../base/batcher.ts';
import { BoundedMap } from '../base/cache.ts';
import { type Deps, oncePerCore } from '../base/deps.ts';
import type { Project, PropertyType, Session } from '../base/model.ts';
import { compileFilter, type FilterSubject, filterFields, parseFilter } from './filters/filters.ts';
import type { CustomField } from './model.ts';

/** The part of the project rules that automations add, by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface AddedRules {}

/**
 * The rules that every change of a contact is compared with, compiled once for each version: declared fields, segments and live
 * automations.
 */
export interface ProjectRules extends AddedRules {
  version: number;
  fields: Map<string, CustomField>;
  fieldTypes: Record<string, PropertyType>;
  segments: CompiledSegment[];
}

interface CompiledSegment {
  _id: ObjectId;
  fields: ReadonlySet<string>;
  matches(subject: FilterSubject): boolean;
}

declare module '../base/deps.ts' {
  interface Subscribers {
    projectRules(deps: Deps, projectId: ObjectId, fieldTypes: Record<string, PropertyType>): Promise<AddedRules>;
  }
}

const CACHE_SIZE_MAX = 1_000;
const TOGETHER_MAX = 200;
const compiled = oncePerCore(() => new BoundedMap<string, ProjectRules>(CACHE_SIZE_MAX));

/** One read of the project's version shows whether the compiled copy is current. */
export async function projectRulesOf(deps: Deps, projectId: ObjectId): Promise<ProjectRules> {
  const version = await versions(deps)(projectId);
  const cache = compiled(deps);
  const known = cache.get(projectId.toHexString());
  if (known?.version === version) return known;
  const made = await compileProjectRules(deps, projectId, version);
  cache.set(projectId.toHexString(), made);
  return made;
}

/** Needed for every change, so requests that arrive together share a read. */
const versions = oncePerCore(({ db }: Deps) =>
  createBatcher(
    async (ids: ObjectId[]) => {
      const found = await db.projects.find({ _id: { $in: ids } }, { projection: { audienceVersion: 1 } }).toArray();
      const byId = new Map(found.map(({ _id, audienceVersion }) => [_id.toHexString(), audienceVersion]));
      return ids.map((id) => byId.get(id.toHexString()) ?? 0);
    },
    { sizeMax: TOGETHER_MAX, runsMax: 2 },
  ),
);

/** Called after every write of custom fields, events, segments and automations, before the request is answered. */
export async function touchProjectRules(deps: Deps, project: Pick<Project, '_id'>, session?: Session): Promise<void> {
  await deps.db.projects.updateOne({ _id: project._id }, { $inc: { audienceVersion: 1 } }, session ? { session } : {});
}

async function compileProjectRules(deps: Deps, projectId: ObjectId, version: number): Promise<ProjectRules> {
  const [fields, segments] = await Promise.all([
    deps.db.customFields.find({ projectId }).toArray(),
    deps.db.contactLists.find({ projectId, type: 'segment' }).sort({ _id: 1 }).toArray(),
  ]);
  const fieldTypes = Object.fromEntries(fields.map(({ fieldName, fieldType }) => [fieldName, fieldType]));
  const added = await deps.subscribers.projectRules(deps, projectId, fieldTypes);
  return {
    ...added,
    version,
    fields: new Map(fields.map((field) => [field.fieldName, field])),
    fieldTypes,
    segments: segments.flatMap(({ _id, filterCriteria }) => {
      const parsed = parseFilter(filterCriteria, { contactProperties: fieldTypes });
      if (!parsed.ok) return [];
      return [{ _id, fields: new Set(filterFields(parsed.filter)), matches: compileFilter(parsed.filter) }];
    }),
  };
}
