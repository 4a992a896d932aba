import type { Collection, ObjectId } from 'mongodb';
import type { Made } from '../base/maker.ts';
import type { Utm } from '../base/model.ts';

/** Saved templates and their versions. */

/** Mail is made of it, and an editor opens it again. A version keeps all of it and nothing else of the template. */
export interface TemplateContent {
  /** '' when the mails that use it must bring their own. */
  subject: string;
  previewText: string;
  emailTemplate: string;
  /** The source of the text part, made of content blocks with the HTML. Absent as null: the text is made of the HTML. */
  text?: string | null;
  /** Of content blocks that name the brand. Absent as false. */
  usesBrand?: boolean;
  /** The layout around the mail. Absent as null. */
  layoutId?: string | null;
  /** Code as it was written, where `emailTemplate` has a layout or snippets put in. Absent as null: it is `emailTemplate`. */
  writtenCode?: string | null;
  /** Stored ids of the layout and all snippets that are put in. Absent as []. */
  parts?: string[];
  templateType: 'marketing' | 'transactional';
  builderType: 'code' | 'editor';
  /** Content blocks (schemas/templates/blocks.ts), or what an editor of a caller keeps here. */
  editorJson: Record<string, unknown> | null;
  parentBodyProperties: Record<string, unknown> | null;
  trackingClick: boolean;
  trackingOpen: boolean;
  utm?: Utm | null;
  /** By language; absent as none. */
  translations?: Translation[];
}

/** A template in another language than its own, the base. A text that it does not have is that of the base. */
export interface Translation {
  /** A canonical tag of BCP 47. */
  language: string;
  /** In the order of their names. */
  texts: TranslatedText[];
  /** Of code of its own: stored ids of the layout and the snippets that are put in. Absent as []. */
  parts?: string[];
  /** A hash of that code with its parts: publishing a part again changes it. */
  made?: string;
}

export interface TranslatedText {
  /** subject, previewText, emailTemplate, or the id of a block and the path of its field: hero/alt. */
  name: string;
  text: string;
  /** A hash of the text of the base that it translates: it is older when the base has another one. */
  of: string;
}

/** The sources of a mail. */
export interface LanguageMail {
  subject: string;
  previewText: string;
  html: string;
  /** null: the text part is made of the HTML. */
  text: string | null;
}

/** A published version in one language, compiled when it was published. Never changed. */
export interface TemplateLanguage extends LanguageMail {
  /** Made of the id of the version and the language. */
  _id: string;
  projectId: ObjectId;
  templateId: string;
  version: number;
  language: string;
}

/** With the content of its published version, so that mail is made of one read; of its draft while none was published. */
export interface Template extends TemplateContent, Made {
  _id: ObjectId;
  projectId: ObjectId;
  /** "A-" and 20 hexadecimal characters: the id that callers know. "L-" and "S-": a layout and a snippet (assemble/keys.ts). */
  templateId: string;
  templateName: string;
  description: string;
  /** The campaign in which it is written, and which alone has it (own/mails.ts). Absent: a saved template. */
  campaignId?: ObjectId;
  /** Needs a person's review (migrations). */
  isFlagged: boolean;
  source: 'api' | 'dashboard' | 'migration';
  /** 0: never published, so it cannot be sent. */
  publishedVersion: number;
  /** The newest version that was saved as a draft and not published since. null: there is none. */
  draftVersion: number | null;
  /** The highest number that was given; it is the published version or the draft. */
  newestVersion: number;
  publishedAt: Date | null;
  /** The id of a member; null: a key published it. */
  publishedBy: ObjectId | null;
  /** The parts of the published version and of the draft. */
  uses?: string[];
  /** Increases with each thing that is stored with the name of the template, so that a concurrent deletion conflicts. */
  references?: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Never changed after it was written. */
export interface TemplateVersion extends TemplateContent, Made {
  /** Made of the template's _id and the number. */
  _id: string;
  projectId: ObjectId;
  templateId: string;
  version: number;
  createdAt: Date;
}

declare module '../base/collections.ts' {
  interface Collections {
    templates: Collection<Template>;
    templateVersions: Collection<TemplateVersion>;
    templateLanguages: Collection<TemplateLanguage>;
  }
}
