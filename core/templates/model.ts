import type { Collection, ObjectId } from 'mongodb';
import type { Made } from '../base/maker.ts';
import type { Utm } from '../base/model.ts';

/** Saved templates. */

export interface Template extends Made {
  _id: ObjectId;
  projectId: ObjectId;
  /** "A-" and 20 hexadecimal characters: the id that callers know. */
  templateId: string;
  templateName: string;
  /** '' when the mails that use it must bring their own. */
  subject: string;
  previewText: string;
  emailTemplate: string;
  templateType: 'marketing' | 'transactional';
  builderType: 'code' | 'editor';
  description: string;
  editorJson: Record<string, unknown> | null;
  parentBodyProperties: Record<string, unknown> | null;
  /** Needs a person's review (migrations). */
  isFlagged: boolean;
  source: 'api' | 'dashboard' | 'migration';
  trackingClick: boolean;
  trackingOpen: boolean;
  utm?: Utm | null;
  /** Keys send mail with it: it goes out without another act of a person. */
  isSentByKeys?: true;
  /** Incremented by transactions that put the template to use, so that they conflict with those of authors. */
  holds?: number;
  createdAt: Date;
  updatedAt: Date;
}

declare module '../base/collections.ts' {
  interface Collections {
    templates: Collection<Template>;
  }
}
