import type { Collection, ObjectId } from 'mongodb';

/** The links of one content of a template or of a step of an automation, as they are written; one for each version that was sent. */
export interface LinkSet {
  /** Derived from the other fields. */
  _id: ObjectId;
  projectId: ObjectId;
  automation?: { id: ObjectId; stepId: string };
  templateId?: string;
  urls: string[];
}

declare module '../../base/collections.ts' {
  interface Collections {
    linkSets: Collection<LinkSet>;
  }
}
