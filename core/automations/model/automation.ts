import type { Collection, ObjectId } from 'mongodb';
import type { Made } from '../../base/maker.ts';
import type { Due } from '../../base/model.ts';
import type { AutomationDefinition } from './definition.ts';

/** Automations, their drafts and earlier versions. */

export type AutomationStatus = 'draft' | 'active' | 'paused' | 'archived';

/** Everything that a PATCH changes; a draft has all of it, a version that people are inside its definition. */
export interface AutomationContent extends AutomationDefinition {
  name: string;
  description: string;
  tags: string[];
}

/** Says that there is a draft; its content is a document of its own. */
export interface DraftMark {
  /** The version that it was begun from, or compared with since. */
  baseVersion: number;
  updatedAt: Date;
  /** The id of a member; null: a key saved it. */
  updatedBy: ObjectId | null;
}

export interface Automation extends AutomationContent, Due, Made {
  _id: ObjectId;
  projectId: ObjectId;
  organizationId: ObjectId;
  status: AutomationStatus;
  /** Increases with every PATCH. */
  version: number;
  /** Names of what its versions wait for from outside, of all that it ever had: people may be inside each. Absent as none. */
  awaited?: string[];
  /** Enrollments of an older version than this move to this one. */
  moveBefore: number;
  /** Of the next version; absent as null: there is none. */
  draft?: DraftMark | null;
  /** Increases with everything that is saved, a draft or a version. Absent as 0. */
  draftRevision?: number;
  activeAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
}

/** The content of the next version; `_id` is made of automation and "draft". */
export interface DraftDefinition extends AutomationContent {
  _id: string;
  projectId: ObjectId;
  automationId: ObjectId;
  isDraft: true;
}

/** A definition that another one replaced while contacts were enrolled; `_id` is made of automation and version. */
export interface PastDefinition extends AutomationDefinition {
  _id: string;
  projectId: ObjectId;
  automationId: ObjectId;
  version: number;
}

declare module '../../base/collections.ts' {
  interface Collections {
    automations: Collection<Automation>;
    automationDefinitions: Collection<PastDefinition | DraftDefinition>;
  }
}
