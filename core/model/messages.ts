import type { Collection, ObjectId } from 'mongodb';
import type { Due } from './base.ts';

/** What is left to do about messages after they were sent. */

/** A deleted contact whose messages still say something about it; `_id` is the contact's. */
export interface ContactErasure extends Due {
  _id: ObjectId;
  projectId: ObjectId;
  email: string;
  deletedAt: Date;
}

declare module './collections.ts' {
  interface Collections {
    contactErasures: Collection<ContactErasure>;
  }
}
