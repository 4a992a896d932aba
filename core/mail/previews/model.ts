import type { Collection, ObjectId } from 'mongodb';
import type { Sealed } from '../../base/model.ts';

/** A draft as it was rendered, for the page that shows it. It may have the data of a contact, so it is sealed. */
export interface Preview {
  _id: ObjectId;
  projectId: ObjectId;
  html: Sealed;
  expiresAt: Date;
}

declare module '../../base/collections.ts' {
  interface Collections {
    previews: Collection<Preview>;
  }
}
