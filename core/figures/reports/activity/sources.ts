import { type Document, ObjectId } from 'mongodb';
import { READ_TIME_MAX_MS } from '../../../base/paging.ts';
import type { FiguresDeps } from '../../deps.ts';
import { type Activity, type Asked, type Cursor, sources } from './model.ts';

export async function customEventActivity({ db }: FiguresDeps, { contact, cursor, limit }: Asked): Promise<Activity[]> {
  const { _id: contactId, projectId } = contact;
  const found = await db.events
    .find(
      { projectId, contactId, ...behind(cursor, sources.event, 'createdAt') },
      { hint: 'contact_newest', maxTimeMS: READ_TIME_MAX_MS },
    )
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit)
    .toArray();
  return found.map((event) => ({
    ...{ at: event.createdAt, source: sources.event, key: event._id.toHexString(), type: 'event' },
    event,
  }));
}

export async function changeActivity({ db }: FiguresDeps, { contact, cursor, limit }: Asked): Promise<Activity[]> {
  const { _id: contactId, projectId } = contact;
  const found = await db.contactHistory
    .find(
      { projectId, contactId, ...behind(cursor, sources.change, 'at') },
      { hint: 'contact', maxTimeMS: READ_TIME_MAX_MS },
    )
    .sort({ at: -1, _id: -1 })
    .limit(limit)
    .toArray();
  return found.map((change) => ({
    ...{ at: change.at, source: sources.change, key: change._id.toHexString(), type: `contact.${change.kind}` },
    change,
  }));
}

/** At most one entry for each group. */
export async function suppressionActivity({ db }: FiguresDeps, { contact }: Asked): Promise<Activity[]> {
  const { email, projectId } = contact;
  const found = await db.suppressions.find({ projectId, email }, { hint: 'address' }).toArray();
  return found.map((suppression) => ({
    ...{ at: suppression.createdAt, source: sources.suppression, key: suppression._id.toHexString() },
    type: 'suppression.added',
    suppression,
  }));
}

export async function consentActivity({ db }: FiguresDeps, { contact, cursor, limit }: Asked): Promise<Activity[]> {
  const { _id: contactId, projectId } = contact;
  const found = await db.consents
    .find(
      { projectId, contactId, ...behind(cursor, sources.consent, 'createdAt') },
      { hint: 'contact', maxTimeMS: READ_TIME_MAX_MS },
    )
    .sort({ createdAt: -1, _id: -1 })
    .limit(limit)
    .toArray();
  return found.map((consent) => ({
    ...{ at: consent.createdAt, source: sources.consent, key: consent._id.toHexString(), type: 'consent.recorded' },
    consent,
  }));
}

/** The entries of a source behind a position, as a range of its index. */
function behind(cursor: Cursor | null, source: number, time: string): Document {
  if (!cursor) return {};
  const { at, key } = cursor;
  if (source < cursor.source) return { [time]: { $lt: at } };
  if (source > cursor.source) return { [time]: { $lte: at } };
  return { [time]: { $lte: at }, $or: [{ [time]: { $lt: at } }, { _id: { $lt: new ObjectId(key) } }] };
}
