import type { ObjectId } from 'mongodb';
import type { Session } from '../../../base/model.ts';
import type { FiguresDeps } from '../../deps.ts';
import type { Documents } from '../documents.ts';
import type { LinkDocuments } from '../links/documents.ts';

export type CountDeps = Pick<FiguresDeps, 'db' | 'mongo' | 'config' | 'clock' | 'state'>;

/** Everything that one transaction counts is gathered here. */
export interface Counting {
  projectId: ObjectId;
  session: Session;
  documents: Documents;
  links: LinkDocuments;
}
