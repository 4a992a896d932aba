import type { Collection, ObjectId } from 'mongodb';
import type { Due, PropertyType, Sealed } from '../base/model.ts';
import type { SuppressionList } from './source.ts';

/** Migrations from other providers. */

export type MigrationProvider = 'providerA' | 'providerB';

export type MigrationStatus =
  | 'queued'
  | 'running'
  | 'needs_attention'
  | 'completed'
  | 'completed_with_errors'
  | 'failed'
  | 'cancelled';

export type MigrationPhaseName =
  | 'customFields'
  | 'templates'
  | 'unsubscribeGroups'
  | 'contactLists'
  | 'audiences'
  | 'contacts'
  | 'topics'
  | 'unsubscribed';

/** One line of a report: the item, and the reason for the line. */
export interface MigrationNote {
  item: string;
  message: string;
}

export interface MigrationPhase {
  name: MigrationPhaseName;
  status: 'pending' | 'running' | 'completed' | 'skipped' | 'failed';
  /** The count at the source. */
  total: number;
  succeeded: number;
  failed: number;
  skipped: number;
  /** Parts of `succeeded`. */
  created: number;
  updated: number;
  errors: MigrationNote[];
  review: MigrationNote[];
  /** Further counts of this phase alone: addresses of groups, memberships of lists. */
  details: Record<string, number>;
  /** Where the phase resumes after a stop; only the phase itself reads it. Written together with the counts. */
  cursor: Record<string, unknown> | null;
  startedAt: Date | null;
  completedAt: Date | null;
}

export interface MigrationMapping {
  sourceId: string | null;
  sourceName: string | null;
  fieldName: string;
  fieldType: PropertyType;
}

/** null: everything of that kind. */
export interface MigrationSelection {
  templateIds: string[] | null;
  groupIds: string[] | null;
  /** Never null: fields are made of mappings. */
  fieldIds: string[];
  listIds: string[] | null;
  topicIds: string[] | null;
}

export interface Migration extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  provider: MigrationProvider;
  status: MigrationStatus;
  selection: MigrationSelection;
  mappings: MigrationMapping[];
  /** Whether templates that were migrated before get their content again. */
  updateTemplates: boolean;
  /** Whether the job holds when it may not read who must not be mailed (A). */
  requireSuppressions?: boolean;
  /** Whether automations start for its contacts. */
  runWorkflow: boolean;
  /** The number of unsubscribed contacts in the last complete plan of the same account; shown next to the number that the job read. */
  planned?: number;
  phase: MigrationPhaseName | null;
  phases: MigrationPhase[];
  /** The number of this job's current run; activities of an earlier run find another number and stop. */
  run: number;
  /** The attempt that works on it now; new for each attempt, so that an earlier one stops at its next write. */
  owner: string | null;
  /** Increases with every change: the id of an event of the stream. */
  version: number;
  /** The decision of a person about a run that holds. The workflow reads and clears it. */
  decision: 'retry' | 'skip' | null;
  /** Why the run holds. */
  attention: string | null;
  failureReason: string | null;
  startedAt: Date | null;
  completedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** An address that the source does not mail, kept from when it is read to when it is compared; `_id` is job and address. */
export interface MigrationUnsubscribed {
  _id: string;
  projectId: ObjectId;
  migrationId: ObjectId;
  email: string;
  /** Of provider A: the lists that have it, each with its date there. */
  lists?: Partial<Record<SuppressionList, Date | null>>;
  expiresAt: Date;
}

/** The list, group or template here that a source's one became; `_id` is made of project, provider, kind and source id. */
export interface MigrationLink {
  _id: string;
  projectId: ObjectId;
  /** null until the target is made: the link is written first, and the target's id is derived from it. */
  targetId: string | null;
  /** The job or call that made the target; null: it existed before, under the same name. */
  createdBy: ObjectId | null;
  createdAt: Date;
}

/** `_id` is the job's. The key is sealed for this project and job alone (core/base/secrets.ts). */
interface MigrationSecret {
  _id: ObjectId;
  projectId: ObjectId;
  sealed: Sealed;
  /** null while the job may still need it. */
  expiresAt: Date | null;
}

/** When the next request to a provider account may leave; `_id` is a hash of its key. */
export interface ProviderPace {
  _id: string;
  next: Date;
  at: Date;
}

/** The counts of the last complete plan of an account; `_id` is the project and a hash of the account's key. */
interface MigrationPlan {
  _id: string;
  projectId: ObjectId;
  unsubscribedContacts: number;
  at: Date;
}

declare module '../base/collections.ts' {
  interface Collections {
    migrations: Collection<Migration>;
    migrationSecrets: Collection<MigrationSecret>;
    migrationLinks: Collection<MigrationLink>;
    migrationUnsubscribed: Collection<MigrationUnsubscribed>;
    migrationPlans: Collection<MigrationPlan>;
    providerPaces: Collection<ProviderPace>;
  }
}
