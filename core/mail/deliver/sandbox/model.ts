import type { Collection, ObjectId } from 'mongodb';
import type { Due } from '../../../base/model.ts';

/** A report about a mail to a sandbox address, until the inbound mail server has taken it. */
export interface SandboxReport extends Due {
  /** Derived from the mail and the address, so that a repeated attempt makes no second report. */
  _id: ObjectId;
  projectId: ObjectId;
  messageId: ObjectId;
  /** A sandbox address. */
  email: string;
  kind: 'bounce' | 'complaint';
  returnPath: string;
  /** The header of the mail, as far as reports repeat it. */
  head: string;
  createdAt: Date;
}

declare module '../../../base/collections.ts' {
  interface Collections {
    sandboxReports: Collection<SandboxReport>;
  }
}
