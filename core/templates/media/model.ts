import type { Binary, Collection, ObjectId } from 'mongodb';
import type { Made } from '../../base/maker.ts';
import type { PictureEnding } from './pictures.ts';

/** The pictures of a project, which mails show by their addresses. */

export interface MediaFile extends Made {
  _id: ObjectId;
  projectId: ObjectId;
  /**
   * storing -> stored    the file is written, and the row confirmed
   * storing, stored -> removing    the upload ended half way, or the picture or its project is deleted
   */
  state: 'storing' | 'stored' | 'removing';
  /** Of the bytes: a project has the same picture once. Not set while it is removed, so that the picture can be uploaded again. */
  hash?: string;
  /** Of the file, and never that of another row: a late removal cannot hit a newer file. */
  name: string;
  ending: PictureEnding;
  width: number;
  height: number;
  sizeBytes: number;
  source: 'api' | 'dashboard' | 'migration';
  createdAt: Date;
  /** The job to remove the file: not set while it is stored. */
  removeDueAt?: Date;
}

/** A picture that goes inside a mail. */
export type InlinePicture = Pick<MediaFile, 'name' | 'sizeBytes'>;

/** The sum of the rows that are stored or being stored; every transaction that adds or removes one changes it. */
export interface MediaUsage {
  /** Of the project. */
  _id: ObjectId;
  projectId: ObjectId;
  bytes: number;
  /** The project is deleted, and nothing is stored. */
  deletedAt?: Date;
}

/** The bytes of a picture, where MEDIA_STORE is `mongodb`. Only `platform/media` reads and writes them. */
export interface StoredPicture {
  /** The name of the picture, which no two pictures share. */
  _id: string;
  bytes: Binary;
}

declare module '../../base/collections.ts' {
  interface Collections {
    media: Collection<MediaFile>;
    mediaFiles: Collection<StoredPicture>;
    mediaUsage: Collection<MediaUsage>;
  }
}
